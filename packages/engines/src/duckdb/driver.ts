import { availableParallelism } from "node:os";
import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBResult,
  type DuckDBResultReader,
  StatementType,
} from "@duckdb/node-api";
import accessors from "@duckdb/node-api/lib/vectors/dataAccessors.js";
import { EngineError } from "../engine.ts";
import type { TrustedSql } from "./trusted-sql.ts";
import type { ValidatedStatement } from "./validation/statement-validator.ts";

// The driver decodes strings with a decoder that drops a leading U+FEFF, and has no option for that.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
accessors.textDecoder.decode = decoder.decode.bind(decoder);

/**
 * The only module that hands text to DuckDB. DuckDB evaluates parts of a text when it only splits it into statements
 * (the arguments of a PRAGMA), so text of others has to be validated before any call of the driver. A test finds
 * every call that takes text.
 */
export class DuckdbInstance {
  readonly #instance: DuckDBInstance;

  private constructor(instance: DuckDBInstance) {
    this.#instance = instance;
  }

  /** `path` is a file or `:memory:`. */
  static async open(path: string, settings: Record<string, string> = {}): Promise<DuckdbInstance> {
    return new DuckdbInstance(await DuckDBInstance.create(path, settings));
  }

  async connect(): Promise<DuckdbConnection> {
    return new DuckdbConnection(await this.#instance.connect());
  }

  closeSync(): void {
    this.#instance.closeSync();
  }
}

export class DuckdbConnection {
  readonly #connection: DuckDBConnection;

  constructor(connection: DuckDBConnection) {
    this.#connection = connection;
  }

  async run(sql: TrustedSql, values?: string[]): Promise<void> {
    await this.#connection.run(sql.text, values);
  }

  runAndReadAll(sql: TrustedSql, values?: string[]): Promise<DuckDBResultReader> {
    return this.#connection.runAndReadAll(sql.text, values);
  }

  /** Runs a statement of a user, a model or a file. */
  async stream(statement: ValidatedStatement, values: readonly string[]): Promise<DuckDBResult> {
    const statements = await this.#connection.extractStatements(statement.text);
    if (statements.count !== 1) throw new EngineError("query_failed", "A query is one statement.");
    const prepared = await statements.prepare(0);
    // A second check, in case validation has taken another statement for a SELECT.
    const { statementType } = prepared;
    if (statementType !== StatementType.SELECT && statementType !== StatementType.EXPLAIN) {
      throw new EngineError("query_failed", "A query can only read: write a SELECT.");
    }
    for (const [index, value] of values.entries()) prepared.bindVarchar(index + 1, value);
    return prepared.stream();
  }

  interrupt(): void {
    this.#connection.interrupt();
  }

  closeSync(): void {
    this.#connection.closeSync();
  }
}

/** For every instance: no temporary files, no extensions and secrets from outside, and limits. */
export const instanceSettings = (memoryBytes: number) => ({
  temp_directory: "",
  allow_persistent_secrets: "false",
  allow_community_extensions: "false",
  autoinstall_known_extensions: "false",
  autoload_known_extensions: "false",
  memory_limit: `${Math.ceil(memoryBytes / 1024 ** 2)}MiB`,
  threads: String(Math.min(4, availableParallelism())),
});
