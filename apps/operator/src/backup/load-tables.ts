import { createReadStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createZstdDecompress } from "node:zlib";
import type { PoolClient } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { CommandError } from "../command-error.ts";
import { listTables, type Queryable, quote, quoteName } from "./describe-database.ts";
import type { Manifest } from "./manifest.ts";

/**
 * Replaces all rows with those of an archive, in the caller's transaction. Triggers do not fire, because they have fired
 * when the rows were written. Foreign keys are dropped and added again, so the order of tables does not matter, and
 * Postgres checks each of them. All of this needs the owner of the tables, and no superuser.
 */
export async function loadTables(client: PoolClient, folder: string, manifest: Manifest): Promise<void> {
  const tables = await listTables(client);
  refuseOtherTables(tables, manifest);
  const foreignKeys = await listForeignKeys(client);
  for (const { table, name } of foreignKeys)
    await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  for (const table of tables) await client.query(`ALTER TABLE ${quote(table)} DISABLE TRIGGER USER`);
  await client.query(`TRUNCATE ${tables.map(quote).join(", ")}`);

  for (const table of manifest.tables) {
    const columns = table.columns.map(quoteName).join(", ");
    const copy = client.query(copyFrom(`COPY ${quote(table)} (${columns}) FROM STDIN`));
    await pipeline(createReadStream(join(folder, table.file)), createZstdDecompress(), copy);
    if (copy.rowCount !== table.rows) {
      throw new CommandError(
        `The backup is damaged: of ${table.rows} rows of ${table.name}, ${copy.rowCount} came.`,
      );
    }
  }
  for (const { lastValue, isCalled, ...sequence } of manifest.sequences) {
    await client.query("SELECT setval($1::regclass, $2::bigint, $3)", [quote(sequence), lastValue, isCalled]);
  }
  for (const table of tables) await client.query(`ALTER TABLE ${quote(table)} ENABLE TRIGGER USER`);
  for (const { table, name, definition } of foreignKeys) {
    await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`);
  }
}

/** The migrations of the archive have made the tables, so only the job queue can differ: its version has its own tables. */
function refuseOtherTables(
  tables: { schema: string; name: string; columns: string[] }[],
  manifest: Manifest,
): void {
  const shape = (list: typeof tables) =>
    list.map((table) => `${quote(table)}: ${[...table.columns].sort()}`).sort();
  if (shape(tables).join("\n") === shape(manifest.tables).join("\n")) return;
  throw new CommandError(
    `The tables of this version are not those of the backup, which version ${manifest.release} made. Restore with that version, and upgrade after.`,
  );
}

async function listForeignKeys(
  client: Queryable,
): Promise<{ table: string; name: string; definition: string }[]> {
  const { rows } = await client.query<{ table: string; name: string; definition: string }>(`
    SELECT quote_ident(n.nspname) || '.' || quote_ident(t.relname) AS table, quote_ident(c.conname) AS name,
      pg_get_constraintdef(c.oid) AS definition
    FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid JOIN pg_namespace n ON n.oid = t.relnamespace
    WHERE c.contype = 'f' AND n.nspname IN ('public', 'graphile_worker')
    ORDER BY 1, 2`);
  return rows;
}
