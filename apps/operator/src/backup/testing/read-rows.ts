import { listTables, type Queryable, quote } from "../describe-database.ts";

/** Transaction numbers belong to a cluster, and what depends on them does too. */
const ofCluster = ["row_versions", "transaction_origin", "sessions"];

/** Every row of every table as JSON, without what belongs to a cluster. */
export async function readRows(database: Queryable): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {};
  for (const table of await listTables(database)) {
    if (ofCluster.includes(table.name)) continue;
    const xids = table.columns.filter((name) => name.endsWith("_xid"));
    const { rows } = await database.query<{ row: string }>(
      `SELECT (to_jsonb(t) - $1::text[])::text AS row FROM ${quote(table)} t ORDER BY 1`,
      [xids],
    );
    all[table.name] = rows.map(({ row }) => row);
  }
  return all;
}
