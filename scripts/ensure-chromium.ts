// Prints the path of a Chromium that runs, for tests in a browser: the machine's own, or Debian's package
// unpacked under `.data/`. Unpacking needs no root and changes nothing else on the machine, so root and
// everybody else go the same way.
import { execFile } from "node:child_process";
import { chmod, glob, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { delimiter, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const ownFolder = fileURLToPath(new URL("../.data/chromium", import.meta.url));

async function ensureChromium(): Promise<string> {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const names = ["chromium", "chromium-browser", "google-chrome"];
  const installed = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  for (const path of [...installed, join(ownFolder, "chromium")]) if (await starts(path)) return path;
  console.error("No Chromium is installed here. Downloading Debian's for the tests (about 120 MB)…");
  return await unpackDebians();
}

const starts = (path: string): Promise<boolean> =>
  run(path, ["--version"]).then(
    () => true,
    () => false,
  );

async function unpackDebians(): Promise<string> {
  const folder = `${ownFolder}.${process.pid}`;
  try {
    for await (const archive of download(folder)) await run("dpkg", ["-x", archive, join(folder, "root")]);
    await rm(join(folder, "apt"), { recursive: true });
    await writeLauncher(folder);
    await run(join(folder, "chromium"), ["--version"]);
    await putInPlace(folder);
    return join(ownFolder, "chromium");
  } catch (cause) {
    throw new Error(
      "The tests need a Chromium, and Debian's could not be fetched. Install Chromium or Chrome so that `chromium` or `google-chrome` starts it.",
      { cause },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** In one step, so that nobody ever finds half of it. Another process may have been faster with as good a one. */
async function putInPlace(folder: string): Promise<void> {
  if (await starts(join(ownFolder, "chromium"))) return;
  await rm(ownFolder, { recursive: true, force: true });
  await rename(folder, ownFolder);
}

/** The package and whatever it needs that this machine lacks, checked by apt, with apt's files in a folder of ours. */
async function* download(folder: string): AsyncGenerator<string> {
  const apt = join(folder, "apt");
  for (const needed of ["lists/partial", "archives/partial"]) {
    await mkdir(join(apt, needed), { recursive: true });
  }
  const settings = [
    `Dir::State::lists=${apt}/lists`,
    `Dir::Cache=${apt}`,
    `Dir::Cache::archives=${apt}/archives`,
    "Debug::NoLocking=1",
    // As root, apt would download as another user, who may not enter this folder.
    "APT::Sandbox::User=root",
  ].flatMap((setting) => ["-o", setting]);
  const env = { ...process.env, TMPDIR: apt, LC_ALL: "C" };
  await run("apt-get", [...settings, "update"], { env });
  const install = ["install", "--download-only", "--yes", "--no-install-recommends", "chromium"];
  await run("apt-get", [...settings, ...install], { env });
  yield* glob(`${apt}/archives/*.deb`);
}

/** A program that starts the unpacked one with its libraries and fonts, wherever the folder lies. */
async function writeLauncher(folder: string): Promise<void> {
  const libraryFolders = new Set<string>();
  for await (const library of glob(`${folder}/root/{usr/,}lib/**/*.so*`)) {
    libraryFolders.add(`$here/${relative(folder, dirname(library))}`);
  }
  const fonts = ["/etc/fonts/fonts.conf", "root/etc/fonts/fonts.conf"].map(
    (path) => `<include ignore_missing="yes">${path}</include>`,
  );
  const fontFolder = '<dir prefix="relative">root/usr/share/fonts</dir>';
  await writeFile(join(folder, "fonts.conf"), `<fontconfig>${fonts.join("")}${fontFolder}</fontconfig>\n`);
  const launcher = join(folder, "chromium");
  await writeFile(
    launcher,
    `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
export LD_LIBRARY_PATH="${[...libraryFolders].join(":")}"
export FONTCONFIG_FILE="$here/fonts.conf"
exec "$here/root/usr/lib/chromium/chromium" "$@"
`,
  );
  await chmod(launcher, 0o755);
}

console.log(await ensureChromium());
