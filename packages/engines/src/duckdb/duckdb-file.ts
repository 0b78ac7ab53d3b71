import type { BigIntStats } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import type { DuckdbConnection } from "./driver.ts";
import { readFileCatalog } from "./validation/file-catalog.ts";
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
