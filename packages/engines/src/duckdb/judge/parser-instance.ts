import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";

let opening: Promise<DuckDBConnection> | undefined;

/**
 * A database in memory that holds nothing, of which only the parser and the system catalog are used. One for
 * the life of the process: it costs as much to open as a database file.
 */
export function openParser(): Promise<DuckDBConnection> {
  opening ??= create();
  return opening;
}

async function create(): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(":memory:", {
    enable_external_access: "false",
    autoload_known_extensions: "false",
    threads: "1",
    lock_configuration: "true",
  });
  return instance.connect();
}
