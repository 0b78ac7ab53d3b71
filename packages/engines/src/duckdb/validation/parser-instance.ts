import { type DuckdbConnection, DuckdbInstance } from "../driver.ts";

let opening: Promise<DuckdbConnection> | undefined;

/**
 * An empty in-memory database, used for its parser and system catalog only. Opened once in each process, because that
 * takes as long as opening a database file.
 */
export function openParser(): Promise<DuckdbConnection> {
  opening ??= create();
  return opening;
}

async function create(): Promise<DuckdbConnection> {
  const instance = await DuckdbInstance.open(":memory:", {
    enable_external_access: "false",
    autoload_known_extensions: "false",
    threads: "1",
    lock_configuration: "true",
  });
  return instance.connect();
}
