import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { type ConnectionContext, type Driver, EngineError } from "../engine.ts";
import type { DuckdbConfiguration } from "./duckdb-engine.ts";
import { type DuckdbFile, emptyDatabase, toDuckdbFile } from "./duckdb-file.ts";
import { DuckdbSession } from "./duckdb-session.ts";
import { describeError } from "./errors.ts";
import { openConnection } from "./open-instances.ts";

export const duckdbDriver: Driver<DuckdbConfiguration> = { connect };

async function connect({ file }: DuckdbConfiguration, context: ConnectionContext): Promise<DuckdbSession> {
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
}

const openLocked = async (file: DuckdbFile, { memoryBytes }: ConnectionContext): Promise<DuckdbSession> =>
  new DuckdbSession(await openConnection(file, memoryBytes), file);
