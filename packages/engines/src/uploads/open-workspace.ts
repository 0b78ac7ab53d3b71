import { type DuckdbConnection, DuckdbInstance, instanceSettings } from "../duckdb/driver.ts";
import { sql, sqlList, sqlString } from "../duckdb/trusted-sql.ts";

export interface Workspace {
  connection: DuckdbConnection;
  close(): void;
}

interface WorkspaceOptions {
  /** The database file to change; `:memory:` to read an uploaded file only. */
  database: string;
  /** Whether the database is only read. Temporary tables can be made. */
  isReadOnly?: boolean;
  /** The files that may be read beside it. */
  readable: string[];
  memoryBytes: number;
}

/** Opens a database that may be written to, with access to the named files and to nothing else. */
export async function openWorkspace({
  database,
  isReadOnly = false,
  readable,
  memoryBytes,
}: WorkspaceOptions): Promise<Workspace> {
  const instance = await DuckdbInstance.open(database, {
    ...instanceSettings(memoryBytes),
    ...(isReadOnly && { access_mode: "READ_ONLY" }),
  });
  const connection = await instance.connect();
  await connection.run(sql`SET TimeZone = 'UTC'`);
  await connection.run(sql`SET allowed_paths = [${sqlList(readable.map(sqlString))}]`);
  await connection.run(sql`SET enable_external_access = false`);
  await connection.run(sql`SET lock_configuration = true`);
  return {
    connection,
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
