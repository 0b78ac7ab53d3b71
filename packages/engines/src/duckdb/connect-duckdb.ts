import { lstat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { type Connect, type ConnectionContext, EngineError } from "../engine.ts";
import type { DuckdbConfiguration } from "./duckdb-engine.ts";
import { type DuckdbFile, emptyDatabase, toDuckdbFile } from "./duckdb-file.ts";
import { DuckdbSession } from "./duckdb-session.ts";
import { describeError } from "./errors.ts";

export const connectDuckdb: Connect<DuckdbConfiguration> = async ({ file }, context) => {
  if (file === null) return openLocked(emptyDatabase, context);
  const path = join(context.dataFolder, file);
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  // A symbolic link could lead out of the folder.
  if (!found?.isFile()) {
    throw new EngineError("database_unreachable", `There is no database file ${file} in the data folder.`);
  }
  const opened = toDuckdbFile(path, file, found);
  try {
    return await openLocked(opened, context);
  } catch (error) {
    const reason = opened.hidePath(describeError(error));
    throw new EngineError("database_unreachable", `${file} cannot be opened: ${reason}`, { cause: error });
  }
};

async function openLocked(file: DuckdbFile, context: ConnectionContext): Promise<DuckdbSession> {
  // The order matters: the temporary folder cannot be set after external access is off.
  const instance = await DuckDBInstance.create(file.path, {
    // A database in memory is empty and can only be opened for writing. No statement that writes passes validation.
    ...(file !== emptyDatabase && { access_mode: "READ_ONLY" }),
    temp_directory: "",
    allow_persistent_secrets: "false",
    allow_community_extensions: "false",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    memory_limit: `${Math.ceil(context.memoryBytes / 1024 ** 2)}MiB`,
    threads: String(Math.min(4, availableParallelism())),
    enable_external_access: "false",
  });
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  // JSON errors contain the position in the statement.
  await connection.run("SET errors_as_json = true");
  await connection.run("SET lock_configuration = true");
  return new DuckdbSession(instance, connection, file);
}
