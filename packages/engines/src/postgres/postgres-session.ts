import type { JsonValue } from "@querybell/domain/results";
import type { CompiledStatement } from "@querybell/statements";
import type pg from "pg";
import {
  addComments,
  type EngineSession,
  type Execution,
  groupColumns,
  schemasOf,
  type Table,
  type TablePage,
  tablesOfPage,
} from "../engine.ts";
import { arrayEncoding, type Encoding, encodings, textEncoding } from "./encode.ts";
import { toQueryError } from "./errors.ts";

type TextRow = (string | null)[];

const firstFetchRows = 100;
const maxFetchRows = 5000;
const targetFetchBytes = 1024 ** 2;
const declare = "DECLARE querybell NO SCROLL CURSOR FOR ";
const rawText = { getTypeParser: () => (text: string) => text };

export class PostgresSession implements EngineSession {
  readonly #client: pg.Client;
  readonly #openAnother: () => Promise<pg.Client>;
  readonly #processId: number;
  #hasSnapshot = false;

  /** `openAnother` opens a second connection to the same server, which cancels the statement of the first. */
  constructor(client: pg.Client, processId: number, openAnother: () => Promise<pg.Client>) {
    this.#client = client;
    this.#processId = processId;
    this.#openAnother = openAnother;
  }

  async version(): Promise<string> {
    const [row] = await this.#describe("SHOW server_version");
    return `Postgres ${row?.[0]}`;
  }

  /** A superuser can read files of the server and end its processes even in a read-only transaction. */
  async warnings(): Promise<string[]> {
    const [row] = await this.#describe("SHOW is_superuser");
    if (row?.[0] !== "on") return [];
    return [
      "The user of this connection is a superuser: its queries can read files of the server and end its sessions. Use a role that can only read the tables it needs.",
    ];
  }

  async listTables(page: TablePage): Promise<Table[]> {
    const tables = tablesOfPage(await this.#listAll(), page);
    return addComments(tables, await this.#describe(commentsSql));
  }

  async listSchemas(): Promise<string[]> {
    return schemasOf(await this.#listAll());
  }

  async #listAll(): Promise<Table[]> {
    return groupColumns(await this.#describe(columnsSql));
  }

  async #describe(text: string): Promise<string[][]> {
    try {
      return (await this.#client.query<string[]>({ text, rowMode: "array" })).rows;
    } catch (error) {
      throw toQueryError(error);
    }
  }

  /** The first statement of the transaction takes the snapshot. */
  async beginSnapshot(): Promise<void> {
    try {
      await this.#client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      await this.#client.query("SELECT 1");
      await this.#client.query("SAVEPOINT querybell");
      this.#hasSnapshot = true;
    } catch (error) {
      throw toQueryError(error);
    }
  }

  /** In a snapshot, each statement begins where the snapshot did: without the cursor, failure and settings of the one before. */
  #begin(): Promise<unknown> {
    return this.#client.query(this.#hasSnapshot ? "ROLLBACK TO SAVEPOINT querybell" : "BEGIN READ ONLY");
  }

  /**
   * Runs the statement as the query of a cursor, which allows only SELECT, VALUES and WITH, in a read-only
   * transaction. The extended protocol refuses a second statement.
   */
  async execute({ text, values }: Pick<CompiledStatement, "text" | "values">): Promise<Execution> {
    try {
      // Without values the driver would use the simple protocol, which takes several statements.
      const declaration = {
        text: `${declare}${text}`,
        values,
        queryMode: "extended",
      };
      // Sent at once, because each would cost a round trip. After one that fails, those behind it fail too.
      const [, , first] = await Promise.all([
        this.#begin(),
        this.#client.query(declaration),
        this.#fetch(firstFetchRows),
      ]);
      const columns = await this.#findEncodings(first.fields.map((field) => field.dataTypeID));
      const fields = first.fields.map(({ name }, index) => ({
        name,
        type: columns[index]?.type ?? "string",
      }));
      return { fields, batches: this.#batches(first.rows, columns), rowsRead: () => undefined };
    } catch (error) {
      throw toQueryError(error, { text, prefix: declare });
    }
  }

  async *#batches(firstRows: TextRow[], columns: Encoding[]): AsyncGenerator<JsonValue[][]> {
    let asked = firstFetchRows;
    for (let rows = firstRows; rows.length > 0; ) {
      yield rows.map((row) =>
        row.map((text, index) => (text === null ? null : (columns[index]?.encode(text) ?? null))),
      );
      if (rows.length < asked) return;
      asked = rowsOfTargetSize(rows);
      try {
        ({ rows } = await this.#fetch(asked));
      } catch (error) {
        throw toQueryError(error);
      }
    }
  }

  #fetch(count: number): Promise<pg.QueryArrayResult<TextRow>> {
    return this.#client.query<TextRow>({
      text: `FETCH FORWARD ${count} FROM querybell`,
      rowMode: "array",
      types: rawText,
    });
  }

  /** Looks up types that are not built in, because they may be arrays. */
  async #findEncodings(oids: number[]): Promise<Encoding[]> {
    const unknown = oids.filter((oid) => !encodings.has(oid));
    if (unknown.length === 0) return oids.map((oid) => encodings.get(oid) ?? textEncoding);
    const { rows } = await this.#client.query<[number, number]>({
      text: "SELECT oid, typelem FROM pg_catalog.pg_type WHERE oid = ANY($1) AND typcategory = 'A' AND typdelim = ','",
      values: [unknown],
      rowMode: "array",
    });
    const itemOf = new Map(rows);
    return oids.map((oid) => {
      const item = itemOf.get(oid);
      return (
        encodings.get(oid) ??
        (item === undefined ? textEncoding : arrayEncoding(encodings.get(item) ?? textEncoding))
      );
    });
  }

  async interrupt(): Promise<void> {
    const canceller = await this.#openAnother();
    try {
      await canceller.query("SELECT pg_cancel_backend($1)", [this.#processId]);
    } finally {
      await canceller.end();
    }
  }

  close(): Promise<void> {
    return this.#client.end();
  }
}

/** The number of rows like these that make about a megabyte, so that wide rows are fetched in small batches. */
function rowsOfTargetSize(rows: TextRow[]): number {
  const length = rows.reduce(
    (sum, row) => row.reduce((inner, text) => inner + (text?.length ?? 0) + 8, sum),
    0,
  );
  return Math.max(1, Math.min(maxFetchRows, Math.floor(targetFetchBytes / (length / rows.length + 1))));
}

const columnsSql = `
  SELECT n.nspname, c.relname, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod)
  FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
    AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
    AND pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT')
  ORDER BY n.nspname, c.relname, a.attnum
  LIMIT 20000`;

const commentsSql = `
  SELECT n.nspname, c.relname, coalesce(a.attname, ''), d.description
  FROM pg_catalog.pg_description d
  JOIN pg_catalog.pg_class c ON c.oid = d.objoid AND d.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.objsubid AND d.objsubid > 0
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
    AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
    AND (d.objsubid = 0 OR pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT'))
  LIMIT 20000`;
