import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

export const migrationsFolder = fileURLToPath(new URL("../migrations/", import.meta.url));

/** The names of the migrations in the repository, oldest first. */
export async function listMigrations(): Promise<string[]> {
  const entries = await readdir(migrationsFolder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

export const readMigration = (name: string): Promise<string> =>
  readFile(`${migrationsFolder}${name}/migration.sql`, "utf8");

/** The folder in the form that the schema engine reads. */
export async function readMigrationsFolder(only?: readonly string[]) {
  const names = (await listMigrations()).filter((name) => only?.includes(name) ?? true);
  return {
    baseDir: migrationsFolder,
    lockfile: {
      path: "migration_lock.toml",
      content: await readFile(`${migrationsFolder}migration_lock.toml`, "utf8"),
    },
    shadowDbInitScript: "",
    migrationDirectories: await Promise.all(
      names.map(async (name) => ({
        path: name,
        migrationFile: {
          path: "migration.sql",
          content: { tag: "ok" as const, value: await readMigration(name) },
        },
      })),
    ),
  };
}
