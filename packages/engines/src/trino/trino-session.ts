import type { EngineProgress, Field } from "@querybell/domain";
import type { JsonValue } from "@querybell/domain/results";
import type { CompiledStatement } from "@querybell/statements";
import {
  addComments,
  type CommentRow,
  type ConnectionContext,
  EngineError,
  type EngineSession,
  type Execution,
  groupColumns,
  type Table,
  type TablePage,
} from "../engine.ts";
import { type Encoding, encodingOf } from "./encode.ts";
import { isMissingCatalog, toConnectionError, toQueryError } from "./errors.ts";
import type { QueryStatistics, ResultColumn } from "./protocol.ts";
import { type SentStatement, toSentText } from "./sent-statement.ts";
import type { ServerHttp } from "./server-http.ts";
import type { PageWithHeaders, StatementClient } from "./statement-client.ts";
import { quote, type TrinoConfiguration } from "./trino-engine.ts";
import { validateStatement } from "./validate-statement.ts";

const tablePageSize = 500;

interface SessionParts {
  http: ServerHttp;
  client: StatementClient;
  configuration: TrinoConfiguration;
  onProgress: ConnectionContext["onProgress"];
}

export class TrinoSession implements EngineSession {
  readonly #http: ServerHttp;
  readonly #client: StatementClient;
  readonly #configuration: TrinoConfiguration;
  readonly #onProgress: ConnectionContext["onProgress"];
  /** The address of the next page of the statement in progress. */
  #nextUri: string | undefined;
  #isInterrupted = false;
  /** Of the statement in progress. */
  #progress: EngineProgress | undefined;

  constructor({ http, client, configuration, onProgress }: SessionParts) {
    this.#http = http;
    this.#client = client;
    this.#configuration = configuration;
    this.#onProgress = onProgress;
  }

  async version(): Promise<string> {
    const [row] = await this.#describe("SELECT version()");
    await this.#describe("SELECT 1 FROM information_schema.schemata LIMIT 1");
    return `Trino ${row?.[0]}`;
  }

  async warnings(): Promise<string[]> {
    try {
      await this.#describe("SELECT 1 FROM system.runtime.queries LIMIT 1");
    } catch (error) {
      if (error instanceof EngineError && error.code === "query_failed") return [];
      throw error;
    }
    return [
      "The user of this connection can read the catalog system, which shows what others run on the cluster. Queries cannot use it, but views can: set access rules that deny it.",
    ];
  }

  /** Reads a page of names first, which is cheap in every catalog, and then the columns of these tables only. */
  async listTables({ schema = this.#configuration.schema, after }: TablePage): Promise<Table[]> {
    if (schema === undefined) return [];
    const inSchema = `table_schema = ${quote(schema)}`;
    const names = await this.#describe(`
      SELECT table_name FROM information_schema.tables
      WHERE ${inSchema}${after === undefined ? "" : ` AND table_name > ${quote(after)}`}
      ORDER BY table_name LIMIT ${tablePageSize}`);
    if (names.length === 0) return [];
    const listed = names.map(([name = ""]) => quote(name)).join(", ");
    const rows = await this.#describe(`
      SELECT table_schema, table_name, column_name, data_type, coalesce(comment, '')
      FROM information_schema.columns
      WHERE ${inSchema} AND table_name IN (${listed})
      ORDER BY table_name, ordinal_position`);
    const ofColumns = rows.map(([inside = "", table = "", column = "", , comment = ""]) => [
      inside,
      table,
      column,
      comment,
    ]);
    const ofTables = await this.#commentsOfTables(schema, listed);
    return addComments(groupColumns(rows), [...ofColumns, ...ofTables]);
  }

  /**
   * Only the catalog `system` has them, and access rules should deny it: then there are none. Read last, because a
   * refused statement ends the transaction.
   */
  async #commentsOfTables(schema: string, listed: string): Promise<CommentRow[]> {
    try {
      return await this.#describe(`
        SELECT schema_name, table_name, '', comment FROM system.metadata.table_comments
        WHERE catalog_name = ${quote(this.#configuration.catalog)} AND schema_name = ${quote(schema)}
          AND table_name IN (${listed}) AND comment IS NOT NULL`);
    } catch (error) {
      if (error instanceof EngineError && error.code === "query_failed") return [];
      throw error;
    }
  }

  async listSchemas(): Promise<string[]> {
    const rows = await this.#describe(
      "SELECT schema_name FROM information_schema.schemata ORDER BY schema_name",
    );
    return rows.flat().filter((name) => name !== "information_schema");
  }

  async execute({ text, values }: Pick<CompiledStatement, "text" | "values">): Promise<Execution> {
    const { statement, takesValues } = validateStatement(text);
    if (values.length > 0 && !takesValues) {
      throw new EngineError(
        "query_failed",
        "Trino takes no placeholders in this kind of statement. Write the values, or a SELECT.",
      );
    }
    const sent = { text: statement, values };
    const pages = this.#pages(toSentText(sent), sent);
    const first = await readUntilColumns(pages);
    const columns = first?.columns ?? [];
    return {
      fields: fieldsOf(columns),
      batches: toBatches(columns, first, pages),
      rowsRead: () => this.#progress?.rowsRead,
    };
  }

  async #describe(statement: string): Promise<string[][]> {
    const rows: string[][] = [];
    for await (const { data = [] } of this.#pages(statement))
      rows.push(...data.map((row) => row.map(String)));
    return rows;
  }

  /** The pages of a statement. Ending the iteration early ends the query on the cluster. */
  async *#pages(statement: string, sent?: SentStatement): AsyncGenerator<PageWithHeaders> {
    this.#progress = undefined;
    try {
      let page = await this.#client.post(statement);
      for (;;) {
        this.#nextUri = page.nextUri;
        this.#progress = toProgress(page.stats, this.#progress);
        this.#onProgress(this.#progress);
        if (page.error) {
          this.#nextUri = undefined;
          if (isMissingCatalog(page.error))
            throw toConnectionError(toQueryError(page.error), this.#configuration.host);
          throw toQueryError(page.error, sent);
        }
        if (this.#isInterrupted) throw new EngineError("cancelled", "The run was cancelled.");
        yield page;
        if (!page.nextUri) return;
        page = await this.#client.next(page.nextUri);
      }
    } catch (error) {
      if (error instanceof EngineError) throw error;
      throw new EngineError(
        "database_unreachable",
        `The connection was lost during the run: ${error instanceof Error ? error.message : error}.`,
      );
    } finally {
      await this.#cancel().catch(() => {});
    }
  }

  async interrupt(): Promise<void> {
    this.#isInterrupted = true;
    if (this.#nextUri !== undefined) await this.#client.cancel(this.#nextUri);
  }

  async #cancel(): Promise<void> {
    const nextUri = this.#nextUri;
    this.#nextUri = undefined;
    if (nextUri !== undefined) await this.#client.cancel(nextUri);
  }

  /** Rolls back, because the transaction has written nothing. */
  async close(): Promise<void> {
    try {
      await this.#cancel();
      let page = await this.#client.post("ROLLBACK");
      while (page.nextUri) page = await this.#client.next(page.nextUri);
    } finally {
      this.#http.close();
    }
  }
}

/**
 * While a query runs, its counts never decrease: a page may lack them, and a task that Trino restarts counts
 * from zero. The final counts are Trino's own: a finished query counts only rows of tables.
 */
function toProgress(
  { processedRows, processedBytes, ...statistics }: QueryStatistics,
  before: EngineProgress | undefined,
): EngineProgress {
  const least = statistics.state === "FINISHED" ? undefined : before;
  return {
    ...statistics,
    rowsRead: Math.max(processedRows, least?.rowsRead ?? 0),
    bytesRead: Math.max(processedBytes, least?.bytesRead ?? 0),
  };
}

/** The first page that has columns. The generator stays open for the pages after it. */
async function readUntilColumns(
  pages: AsyncGenerator<PageWithHeaders>,
): Promise<PageWithHeaders | undefined> {
  for (let read = await pages.next(); !read.done; read = await pages.next()) {
    if (read.value.columns) return read.value;
  }
  return undefined;
}

const fieldsOf = (columns: readonly ResultColumn[]): Field[] =>
  columns.map(({ name, typeSignature }) => ({ name, type: encodingOf(typeSignature).type }));

async function* toBatches(
  columns: readonly ResultColumn[],
  first: PageWithHeaders | undefined,
  rest: AsyncGenerator<PageWithHeaders>,
): AsyncGenerator<JsonValue[][]> {
  const encodings = columns.map(({ typeSignature }) => encodingOf(typeSignature));
  try {
    if (first?.data) yield encodeRows(first.data, encodings);
    for await (const { data } of rest) if (data) yield encodeRows(data, encodings);
  } finally {
    await rest.return(undefined);
  }
}

const encodeRows = (rows: readonly unknown[][], encodings: readonly Encoding[]): JsonValue[][] =>
  rows.map((row) => encodings.map(({ encode }, index) => encode(row[index] ?? null)));
