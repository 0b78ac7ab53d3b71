import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";

let opening: Promise<DuckDBConnection> | undefined;

/**
 * An empty in-memory database, used for its parser and system catalog only. Opened once in each process, because that
 * takes as long as opening a database file.
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
