// Finds a program that tests need: the machine's own, or Debian's package unpacked under `.data/`. Unpacking
// needs no root and changes nothing else on the machine.
import { execFile } from "node:child_process";
import { chmod, glob, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { delimiter, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface DebianProgram {
  /** The name of Debian's package; also of our folder, and of the program in it. */
  name: string;
  /** The names of the program on machines that have it. */
  installedAs: string[];
  /** The path of the program in the package. */
  path: string;
  megabytes: number;
  /** Makes the program print its version and end. Default: `--version`. */
  versionArgument?: string;
  /** Adds further files to the unpacked folder. Returns the program's environment, with `$here` for the folder. */
  prepare?(folder: string): Promise<Record<string, string>>;
}

/** The path of a working program. */
export async function ensureDebianProgram(program: DebianProgram): Promise<string> {
  const { name, installedAs, megabytes, versionArgument } = program;
  const folders = (process.env.PATH ?? "").split(delimiter);
  const installed = installedAs.flatMap((file) => folders.map((folder) => join(folder, file)));
  for (const path of [...installed, launcherOf(name)]) if (await starts(path, versionArgument)) return path;
  console.error(`No ${name} is installed here. Downloading Debian's for the tests (about ${megabytes} MB)…`);
  return await unpack(program);
}

const folderOf = (name: string) => fileURLToPath(new URL(`../.data/${name}`, import.meta.url));
const launcherOf = (name: string) => join(folderOf(name), name);

const starts = (path: string, versionArgument = "--version"): Promise<boolean> =>
  run(path, [versionArgument]).then(
    () => true,
    () => false,
  );

async function unpack(program: DebianProgram): Promise<string> {
  const { name, installedAs, versionArgument = "--version" } = program;
  const folder = `${folderOf(name)}.${process.pid}`;
  try {
    for await (const archive of download(name, folder)) {
      await run("dpkg", ["-x", archive, join(folder, "root")]);
    }
    await rm(join(folder, "apt"), { recursive: true });
    await writeLauncher(program, folder);
    await run(join(folder, name), [versionArgument]);
    await putInPlace(program, folder);
    return launcherOf(name);
  } catch (cause) {
    const names = installedAs.map((file) => `\`${file}\``).join(" or ");
    throw new Error(
      `The tests need ${name}, and Debian's could not be fetched. Install it so that ${names} starts it.`,
      { cause },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Renames the folder atomically. A concurrent process may already have put an equal one there. */
async function putInPlace({ name, versionArgument }: DebianProgram, folder: string): Promise<void> {
  if (await starts(launcherOf(name), versionArgument)) return;
  await rm(folderOf(name), { recursive: true, force: true });
  await rename(folder, folderOf(name));
}

/** Downloads the package and its missing dependencies, verified by apt, with apt's files in our folder. */
async function* download(name: string, folder: string): AsyncGenerator<string> {
  const apt = join(folder, "apt");
  for (const needed of ["lists/partial", "archives/partial"]) {
    await mkdir(join(apt, needed), { recursive: true });
  }
  const settings = [
    `Dir::State::lists=${apt}/lists`,
    `Dir::Cache=${apt}`,
    `Dir::Cache::archives=${apt}/archives`,
    "Debug::NoLocking=1",
    // As root, apt downloads as another user by default, who cannot write to this folder.
    "APT::Sandbox::User=root",
  ].flatMap((setting) => ["-o", setting]);
  const env = { ...process.env, TMPDIR: apt, LC_ALL: "C" };
  await run("apt-get", [...settings, "update"], { env });
  const install = ["install", "--download-only", "--yes", "--no-install-recommends", name];
  await run("apt-get", [...settings, ...install], { env });
  yield* glob(`${apt}/archives/*.deb`);
}

/** A script that starts the unpacked program with its libraries, wherever the folder is. */
async function writeLauncher({ name, path, prepare }: DebianProgram, folder: string): Promise<void> {
  const libraryFolders = new Set<string>();
  for await (const library of glob(`${folder}/root/{usr/,}lib/**/*.so*`)) {
    libraryFolders.add(`$here/${relative(folder, dirname(library))}`);
  }
  const environment = { LD_LIBRARY_PATH: [...libraryFolders].join(":"), ...(await prepare?.(folder)) };
  const launcher = join(folder, name);
  await writeFile(
    launcher,
    `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
${Object.entries(environment)
  .map(([variable, value]) => `export ${variable}="${value}"`)
  .join("\n")}
exec "$here/root/${path}" "$@"
`,
  );
  await chmod(launcher, 0o755);
}
