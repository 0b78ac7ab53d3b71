import { mkdir, writeFile } from "node:fs/promises";
import { createDatabase, type DatabaseServer } from "@querybell/embedded-postgres";
import { applyMigrations } from "./apply-migrations.ts";
import { migrationsFolder } from "./migrations-folder.ts";
import { openSchemaEngine, readSchema } from "./schema-engine.ts";

/**
 * The SQL that leads from the existing migrations to the schema in `prisma/schema`; empty when they agree.
 * The migrations are replayed in a shadow database.
 */
export async function migrationScript(server: DatabaseServer): Promise<string> {
  await using shadow = await createDatabase(server);
  await applyMigrations(shadow.url);
  await using opened = await openSchemaEngine(shadow.url);
  const schema = await readSchema();
  const { stdout } = await opened.engine.diff({
    from: { tag: "schemaDatasource", ...schema, configDir: migrationsFolder },
    to: { tag: "schemaDatamodel", ...schema },
    script: true,
    exitCode: null,
    filters: { externalTables: [], externalEnums: [] },
  });
  const script = stdout?.trim() ?? "";
  return script === "-- This is an empty migration." ? "" : script;
}

/** Writes the migration's file and returns its path, or null when the schema has not changed. */
export async function createMigration(server: DatabaseServer, name: string): Promise<string | null> {
  const script = await migrationScript(server);
  if (script === "") return null;
  const stamp = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
  const folder = `${migrationsFolder}${stamp}_${name}`;
  await mkdir(folder);
  await writeFile(`${folder}/migration.sql`, `${script}\n`);
  return `${folder}/migration.sql`;
}
