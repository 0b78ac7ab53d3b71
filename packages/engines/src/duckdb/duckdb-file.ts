import type { BigIntStats } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { readFileCatalog } from "./judge/file-catalog.ts";
import { StatementJudge } from "./judge/statement-judge.ts";

/** The judge of the file that was read last: a host mostly stays with one, and reading its catalog is slow. */
let last: { version: string; judge: StatementJudge } | undefined;

export const toDuckdbFile = (
  path: string,
  name: string,
  { dev, ino, size, mtimeNs, ctimeNs }: BigIntStats,
): DuckdbFile => new DuckdbFile(path, name, [path, dev, ino, size, mtimeNs, ctimeNs].join(" "));

/** A database file as it was when it was opened. */
export class DuckdbFile {
  readonly path: string;
  readonly #name: string;
  readonly #version: string;

  constructor(path: string, name: string, version: string) {
    this.path = path;
    this.#name = name;
    this.#version = version;
  }

  /** The judge of statements on this file, over a connection to it. */
  async judge(connection: DuckDBConnection): Promise<StatementJudge> {
    if (last?.version === this.#version) return last.judge;
    const judge = new StatementJudge(await readFileCatalog(connection));
    last = { version: this.#version, judge };
    return judge;
  }

  /** A message without the place of the file, which is the server's own business. */
  hidePath(message: string): string {
    if (!isAbsolute(this.path)) return message;
    const shown = message.replaceAll(this.path, this.#name);
    const folder = dirname(this.path);
    return folder === "/" ? shown : shown.replaceAll(folder, "the data folder");
  }
}

/** A database without tables, in memory. */
export const emptyDatabase = new DuckdbFile(":memory:", "uploads", ":memory:");
