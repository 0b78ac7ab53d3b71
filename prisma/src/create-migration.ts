import { mkdir, writeFile } from "node:fs/promises";
import { createDatabase, type DatabaseServer, withConnection } from "@querybell/embedded-postgres";
import { applyMigrations } from "./apply-migrations.ts";
import { functionsScript, readFunctionSources } from "./functions.ts";
import { migrationsFolder } from "./migrations-folder.ts";
import { openSchemaEngine, readSchema } from "./schema-engine.ts";

/**
 * The SQL that leads from the existing migrations to `prisma/schema` and `prisma/functions`; empty when they agree. The
 * migrations are replayed in a shadow database.
 */
export async function migrationScript(server: DatabaseServer): Promise<string> {
  await using shadow = await createDatabase(server);
  await applyMigrations(shadow.url);
  const tables = await tablesScript(shadow.url);
  const functions = await withConnection(shadow.url, async (client) => {
    // A function may use a table or a column that is new too.
    await client.query(tables);
    return functionsScript(client, await readFunctionSources());
  });
  return [tables, functions].filter((script) => script !== "").join("\n\n");
}

async function tablesScript(shadowUrl: string): Promise<string> {
  await using opened = await openSchemaEngine(shadowUrl);
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

/** Writes the migration's file and returns its path, or null when nothing has changed. */
export async function createMigration(server: DatabaseServer, name: string): Promise<string | null> {
  const script = await migrationScript(server);
  if (script === "") return null;
  const stamp = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
  const folder = `${migrationsFolder}${stamp}_${name}`;
  await mkdir(folder);
  await writeFile(`${folder}/migration.sql`, `${script}\n`);
  return `${folder}/migration.sql`;
}
