import { type DuckdbConnection, DuckdbInstance } from "./driver.ts";
import { type DuckdbFile, emptyDatabase } from "./duckdb-file.ts";
import { instanceSettings } from "./instance-settings.ts";
import { sql } from "./own-sql.ts";

// While it is open, no other process can write to the file.
const keepMs = 300;
// A run that took longer may have filled the memory with pages of the file.
const maxKeptRunMs = 500;

interface OpenInstance {
  key: string;
  instance: DuckdbInstance;
}

/** The instance that the last session used. Opening one takes twenty times as long as a small query. */
let kept: (OpenInstance & { timer: NodeJS.Timeout }) | undefined;

/** A connection of its own to a file. No session sees what another one did to its connection. */
export interface OpenConnection {
  connection: DuckdbConnection;
  /** `isClean` is false after a failure: the instance is not used again. */
  close(isClean: boolean): void;
}

/** Connects to a file, read-only and without access to anything else. A host has one session at a time. */
export async function openConnection(file: DuckdbFile, memoryBytes: number): Promise<OpenConnection> {
  const openedAt = performance.now();
  const key = `${file.version} ${memoryBytes}`;
  const { instance } = takeKept(key) ?? { instance: await createInstance(file, memoryBytes) };
  const connection = await instance.connect().catch((error) => {
    instance.closeSync();
    throw error;
  });
  return {
    connection,
    close(isClean) {
      connection.closeSync();
      closeKept();
      // One in memory could be written to.
      const isReadOnly = file !== emptyDatabase;
      if (isClean && isReadOnly && performance.now() - openedAt < maxKeptRunMs) keep({ key, instance });
      else instance.closeSync();
    },
  };
}

function takeKept(key: string): OpenInstance | undefined {
  const found = kept;
  if (found?.key !== key) {
    closeKept();
    return undefined;
  }
  clearTimeout(found.timer);
  kept = undefined;
  return found;
}

function keep(open: OpenInstance): void {
  kept = { ...open, timer: setTimeout(closeKept, keepMs).unref() };
}

function closeKept(): void {
  clearTimeout(kept?.timer);
  kept?.instance.closeSync();
  kept = undefined;
}

async function createInstance(file: DuckdbFile, memoryBytes: number): Promise<DuckdbInstance> {
  // The order matters: the temporary folder cannot be set after external access is off.
  const instance = await DuckdbInstance.open(file.path, {
    // A database in memory is empty and can only be opened for writing. No statement that writes passes validation.
    ...(file !== emptyDatabase && { access_mode: "READ_ONLY" }),
    ...instanceSettings(memoryBytes),
    enable_external_access: "false",
  });
  try {
    await configure(instance);
    return instance;
  } catch (error) {
    // An open instance keeps the file locked.
    instance.closeSync();
    throw error;
  }
}

async function configure(instance: DuckdbInstance): Promise<void> {
  const connection = await instance.connect();
  try {
    // For all connections, since none can set anything once the configuration is locked.
    await connection.run(sql`SET GLOBAL TimeZone = 'UTC'`);
    // JSON errors contain the position in the statement.
    await connection.run(sql`SET GLOBAL errors_as_json = true`);
    await connection.run(sql`SET lock_configuration = true`);
  } finally {
    connection.closeSync();
  }
}
