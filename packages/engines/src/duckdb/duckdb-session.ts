import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBDataChunk, DuckDBResult, DuckDBType } from "@duckdb/node-api";
import type { Field } from "@querybell/domain";
import type { JsonValue } from "@querybell/domain/results";
import type { CompiledStatement } from "@querybell/statements";
import {
  addComments,
  type ConnectionContext,
  type Driver,
  EngineError,
  type EngineSession,
  type Execution,
  groupColumns,
  schemasOf,
  type Table,
  type TablePage,
  tablesOfPage,
} from "../engine.ts";
import type { DuckdbConnection } from "./driver.ts";
import type { DuckdbConfiguration } from "./duckdb-engine.ts";
import {
  connectToFile,
  type DuckdbFile,
  emptyDatabase,
  type FileConnection,
  toDuckdbFile,
} from "./duckdb-file.ts";
import { encodeItem, fieldTypeOf } from "./encode.ts";
import { describeError, offsetOfByte, readError } from "./errors.ts";
import { createResultTables, type NamedResult } from "./result-tables.ts";
import { sql, type TrustedSql } from "./trusted-sql.ts";
import type { ValidatedStatement } from "./validation/statement-validator.ts";

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
  new DuckdbSession(await connectToFile(file, memoryBytes), file);

// Our own statements qualify function names, because a macro of the file could shadow an unqualified one.
const versionSql = sql`SELECT system.main.version()`;
const columnsSql = sql`
  SELECT schema_name, table_name, column_name, data_type FROM system.main.duckdb_columns()
  WHERE NOT internal AND database_name = system.main.current_database()
  ORDER BY schema_name, table_name, column_index
  LIMIT 20000`;
const commentsSql = sql`
  SELECT schema_name, table_name, column_name, comment FROM system.main.duckdb_columns()
  WHERE NOT internal AND database_name = system.main.current_database() AND comment IS NOT NULL
  UNION ALL
  SELECT schema_name, table_name, '', comment FROM system.main.duckdb_tables()
  WHERE NOT internal AND database_name = system.main.current_database() AND comment IS NOT NULL
  UNION ALL
  SELECT schema_name, view_name, '', comment FROM system.main.duckdb_views()
  WHERE NOT internal AND database_name = system.main.current_database() AND comment IS NOT NULL
  LIMIT 20000`;

class DuckdbSession implements EngineSession {
  readonly #open: FileConnection;
  readonly #connection: DuckdbConnection;
  readonly #file: DuckdbFile;
  #isClean = true;
  #hasSnapshot = false;
  #hasFailed = false;

  constructor(open: FileConnection, file: DuckdbFile) {
    this.#open = open;
    this.#connection = open.connection;
    this.#file = file;
  }

  async version(): Promise<string> {
    const [row] = await this.#describe(versionSql);
    return `DuckDB ${row?.[0]}`;
  }

  async warnings(): Promise<string[]> {
    return [];
  }

  async listTables(page: TablePage): Promise<Table[]> {
    const tables = tablesOfPage(await this.#listAll(), page);
    return addComments(tables, await this.#describe(commentsSql));
  }

  async listSchemas(): Promise<string[]> {
    return schemasOf(await this.#listAll());
  }

  async #listAll(): Promise<Table[]> {
    // duckdb_columns() binds the views, and a view can call a macro of the file.
    await this.#validate(columnsSql.text);
    return groupColumns(await this.#describe(columnsSql));
  }

  async #describe(query: TrustedSql): Promise<string[][]> {
    try {
      const reader = await this.#connection.runAndReadAll(query);
      return reader.getRowsJson().map((row) => row.map(String));
    } catch (error) {
      throw this.#toEngineError(error);
    }
  }

  async addResults(results: readonly NamedResult[]): Promise<void> {
    // The file's own tables are listed before those of the results are there.
    await this.#validate("SELECT 1");
    // The instance has another database now, so no other session uses it.
    this.#isClean = false;
    try {
      await createResultTables(this.#connection, results);
    } catch (error) {
      throw this.#toEngineError(error);
    }
  }

  /** The file is opened for reading, so nobody writes to it meanwhile. The transaction also fixes the time of day. */
  async beginSnapshot(): Promise<void> {
    await this.#connection.run(sql`BEGIN TRANSACTION`);
    this.#hasSnapshot = true;
  }

  async execute({ text, values }: Pick<CompiledStatement, "text" | "values">): Promise<Execution> {
    if (this.#hasSnapshot && this.#hasFailed) {
      // The failure has ended the transaction.
      await this.#connection.run(sql`ROLLBACK`).catch(() => {});
      await this.beginSnapshot();
      this.#hasFailed = false;
    }
    try {
      const result = await this.#connection.stream(await this.#validate(text), values);
      return { fields: fieldsOf(result), batches: this.#batches(result), rowsRead: () => undefined };
    } catch (error) {
      throw this.#toEngineError(error, text);
    }
  }

  async #validate(text: string): Promise<ValidatedStatement> {
    try {
      const validator = await this.#file.validator(this.#connection);
      return await validator.validate(text);
    } catch (error) {
      throw this.#toEngineError(error);
    }
  }

  async *#batches(result: DuckDBResult): AsyncGenerator<JsonValue[][]> {
    const types = result.columnTypes();
    try {
      for (
        let chunk = await result.fetchChunk();
        chunk && chunk.rowCount > 0;
        chunk = await result.fetchChunk()
      ) {
        yield rowsOf(chunk, types);
      }
    } catch (error) {
      throw this.#toEngineError(error);
    }
  }

  /** DuckDB's messages can contain the path of the file, which users must not see. */
  #toEngineError(error: unknown, statement?: string): EngineError {
    this.#isClean = false;
    this.#hasFailed = true;
    if (error instanceof EngineError) return error;
    const read = readError(error);
    const message = this.#file.hidePath(read.message);
    const code = /^Out of Memory Error/.test(message) ? "out_of_memory" : "query_failed";
    const hasPosition = statement !== undefined && read.position !== undefined;
    const offset = hasPosition ? offsetOfByte(statement, read.position) : undefined;
    return new EngineError(code, message, { cause: error, offset });
  }

  async interrupt(): Promise<void> {
    this.#isClean = false;
    this.#connection.interrupt();
  }

  async close(): Promise<void> {
    this.#open.close(this.#isClean);
  }
}

const fieldsOf = (result: DuckDBResult): Field[] =>
  result.columnNames().map((name, index) => ({ name, type: fieldTypeOf(result.columnType(index)) }));

function rowsOf(chunk: DuckDBDataChunk, types: DuckDBType[]): JsonValue[][] {
  const columns = types.map((type, index) => ({ type, vector: chunk.getColumnVector(index) }));
  return Array.from({ length: chunk.rowCount }, (_, row) =>
    columns.map(({ vector, type }) => encodeItem(vector, row, type)),
  );
}
