import { DuckDBInstance } from "@duckdb/node-api";
import { addressOfImport } from "./imported-function.ts";

/** A statement that ends the process which runs it with this code: no handler of Node sees it. */
export const exitSql = async (code: number): Promise<string> =>
  `SELECT * FROM json_execute_serialized_sql('${await exitJson(code)}')`;

/** The same, in the argument of a PRAGMA, which DuckDB evaluates while it splits a text into statements. */
export async function exitPragma(code: number): Promise<string> {
  const quoted = (await exitSql(code)).replaceAll("'", "''");
  return `PRAGMA table_info(json_serialize_plan('${quoted}'))`;
}

/**
 * The same as a table for FROM. DuckDB binds a view or a macro before it stores it, so this does harm only in
 * a database of this name, and has one row anywhere else.
 */
export async function exitSource(code: number, databaseName: string): Promise<string> {
  const harmless = await serialize("SELECT 1 AS a");
  return `json_execute_serialized_sql(
    CASE WHEN current_database() = '${databaseName}' THEN '${await exitJson(code)}' ELSE '${harmless}' END)`;
}

/**
 * `arrow_scan` takes three pointers and calls two of them with the first. SQL has no way to write a pointer,
 * but the JSON of a serialized statement has.
 */
async function exitJson(code: number): Promise<string> {
  const address = addressOfImport("_exit");
  const pointers = [code, address, address];
  let next = 0;
  const json = (await serialize("SELECT * FROM arrow_scan(1, 2, 3)")).replaceAll(
    /"value":\{"type":\{"id":"INTEGER","type_info":null\},"is_null":false,"value":\d\}/g,
    () => `"value":{"type":{"id":"POINTER","type_info":null},"is_null":false,"value":${pointers[next++]}}`,
  );
  if (next !== pointers.length) throw new Error(`DuckDB serializes arrow_scan differently now: ${json}`);
  return json;
}

async function serialize(sql: string): Promise<string> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    const reader = await connection.runAndReadAll("SELECT json_serialize_sql($1::VARCHAR)", [sql]);
    return String(reader.getRowsJson()[0]?.[0]);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
