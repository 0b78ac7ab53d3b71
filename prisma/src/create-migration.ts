import { mkdir, readdir, writeFile } from "node:fs/promises";
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
  const folder = `${migrationsFolder}${nextStamp(await readdir(migrationsFolder), new Date())}_${name}`;
  await mkdir(folder);
  await writeFile(`${folder}/migration.sql`, `${script}\n`);
  return `${folder}/migration.sql`;
}

/**
 * The time at which the name of a new migration begins: now, or a second after the newest migration if that is later,
 * as after a merge or with a clock that is slow. Migrations are applied in the order of their names.
 */
export function nextStamp(existing: readonly string[], now: Date): string {
  const newest = existing
    .map((folder) => /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)_/.exec(folder))
    .filter((match) => match !== null)
    .map(([, year, month, day, hour, minute, second]) =>
      Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)),
    );
  const time = new Date(Math.max(now.getTime(), ...newest.map((at) => at + 1_000)));
  return time.toISOString().replace(/\D/g, "").slice(0, 14);
}
