import type { BigIntStats } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { type DuckdbConnection, DuckdbInstance, instanceSettings } from "./driver.ts";
import { sql } from "./trusted-sql.ts";
import { readFileCatalog } from "./validation/catalog.ts";
import { StatementValidator } from "./validation/statement-validator.ts";

/** The validator of the file that was opened last. Cached, because reading a catalog is slow and a host usually has one file. */
let last: { version: string; validator: StatementValidator } | undefined;

export const toDuckdbFile = (
  path: string,
  name: string,
  { dev, ino, size, mtimeNs, ctimeNs }: BigIntStats,
): DuckdbFile => new DuckdbFile(path, name, [path, dev, ino, size, mtimeNs, ctimeNs].join(" "));

/** A database file as it was when it was opened. */
export class DuckdbFile {
  readonly path: string;
  readonly #name: string;
  /** Changes with the file. */
  readonly version: string;

  constructor(path: string, name: string, version: string) {
    this.path = path;
    this.#name = name;
    this.version = version;
  }

  /** The validator of statements on this file; reads its catalog over the connection. */
  async validator(connection: DuckdbConnection): Promise<StatementValidator> {
    if (last?.version === this.version) return last.validator;
    const validator = new StatementValidator(await readFileCatalog(connection));
    last = { version: this.version, validator };
    return validator;
  }

  /** Removes the path of the file from a message: users must not learn the server's folders. */
  hidePath(message: string): string {
    if (!isAbsolute(this.path)) return message;
    const shown = message.replaceAll(this.path, this.#name);
    const folder = dirname(this.path);
    return folder === "/" ? shown : shown.replaceAll(folder, "the data folder");
  }
}

/** A database without tables, in memory. */
export const emptyDatabase = new DuckdbFile(":memory:", "uploads", ":memory:");

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

/** A separate connection to a file. No session sees what another one did to its connection. */
export interface FileConnection {
  connection: DuckdbConnection;
  /** `isClean` is false after a failure: the instance is not used again. */
  close(isClean: boolean): void;
}

/** Connects to a file, read-only and without access to anything else. A host has one session at a time. */
export async function connectToFile(file: DuckdbFile, memoryBytes: number): Promise<FileConnection> {
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
      // A database in memory can be written to, so it is not used again.
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
