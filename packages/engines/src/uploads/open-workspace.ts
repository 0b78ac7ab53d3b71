import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { instanceSettings } from "../duckdb/instance-settings.ts";
import "../duckdb/keep-byte-order-mark.ts";
import { sqlString } from "./sql-text.ts";

export interface Workspace {
  connection: DuckDBConnection;
  close(): void;
}

interface WorkspaceOptions {
  /** The database file to change; `:memory:` to read an uploaded file only. */
  database: string;
  /** The files that may be read beside it. */
  readable: string[];
  memoryBytes: number;
}

/** Opens a database that may be written to, with access to the named files and to nothing else. */
export async function openWorkspace({
  database,
  readable,
  memoryBytes,
}: WorkspaceOptions): Promise<Workspace> {
  const instance = await DuckDBInstance.create(database, instanceSettings(memoryBytes));
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  await connection.run(`SET allowed_paths = [${readable.map(sqlString).join(", ")}]`);
  await connection.run("SET enable_external_access = false");
  await connection.run("SET lock_configuration = true");
  return {
    connection,
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
