import { sql } from "../own-sql.ts";
import { queryOfView } from "./definition-parts.ts";
import { openParser } from "./parser-instance.ts";

let reading: Promise<ReadonlyMap<string, string[]>> | undefined;

/** The queries of DuckDB's own views, such as information_schema.tables, by their names. */
export function systemViews(): Promise<ReadonlyMap<string, string[]>> {
  reading ??= read();
  return reading;
}

async function read(): Promise<ReadonlyMap<string, string[]>> {
  const connection = await openParser();
  const reader = await connection.runAndReadAll(
    sql`SELECT view_name, sql FROM duckdb_views() WHERE internal`,
  );
  const queries = new Map<string, string[]>();
  for (const [name, definition] of reader.getRowsJson()) {
    const key = String(name).toLowerCase();
    queries.set(key, [...(queries.get(key) ?? []), queryOfView(String(definition))]);
  }
  return queries;
}
