import type pg from "pg";
import type { EngineSession, Execution, Table, TablePage } from "../engine.ts";
import type { CompiledStatement } from "../placeholders/compile-statement.ts";
import type { JsonValue } from "../results/json-value.ts";
import { groupColumns, schemasOf, tablesOfPage } from "../schema-listing.ts";
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

  /** `openAnother` connects to the same server, which is how it is told to stop. */
  constructor(client: pg.Client, processId: number, openAnother: () => Promise<pg.Client>) {
    this.#client = client;
    this.#processId = processId;
    this.#openAnother = openAnother;
  }

  async version(): Promise<string> {
    const [row] = await this.#describe("SHOW server_version");
    return `Postgres ${row?.[0]}`;
  }

  /** A read-only transaction does not bind a superuser: it reads the server's files and ends its processes. */
  async warnings(): Promise<string[]> {
    const [row] = await this.#describe("SHOW is_superuser");
    if (row?.[0] !== "on") return [];
    return [
      "The user of this connection is a superuser: its queries can read files of the server and end its sessions. Use a role that can only read the tables it needs.",
    ];
  }

  async listTables(page: TablePage): Promise<Table[]> {
    return tablesOfPage(await this.#listAll(), page);
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

  /**
   * The statement is the body of a cursor, which takes nothing but a SELECT, VALUES or WITH, in a
   * transaction that can only read. The extended protocol refuses a second statement by itself.
   */
  async execute({ text, values }: Pick<CompiledStatement, "text" | "values">): Promise<Execution> {
    try {
      await this.#client.query("BEGIN READ ONLY");
      // Without values the driver would use the simple protocol, which takes several statements.
      const declaration = {
        text: `${declare}${text}`,
        values,
        queryMode: "extended",
      };
      await this.#client.query(declaration);
      const first = await this.#fetch(firstFetchRows);
      const columns = await this.#findEncodings(first.fields.map((field) => field.dataTypeID));
      const fields = first.fields.map(({ name }, at) => ({ name, type: columns[at]?.type ?? "string" }));
      return { fields, batches: this.#batches(first.rows, columns), rowsRead: () => undefined };
    } catch (error) {
      throw toQueryError(error, { text, prefix: declare });
    }
  }

  async *#batches(firstRows: TextRow[], columns: Encoding[]): AsyncGenerator<JsonValue[][]> {
    let asked = firstFetchRows;
    for (let rows = firstRows; rows.length > 0; ) {
      yield rows.map((row) =>
        row.map((text, at) => (text === null ? null : (columns[at]?.encode(text) ?? null))),
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

  /** Types that are not built in are looked up: they may be arrays. */
  async #findEncodings(oids: number[]): Promise<Encoding[]> {
    const strange = oids.filter((oid) => !encodings.has(oid));
    if (strange.length === 0) return oids.map((oid) => encodings.get(oid) ?? textEncoding);
    const { rows } = await this.#client.query<[number, number]>({
      text: "SELECT oid, typelem FROM pg_catalog.pg_type WHERE oid = ANY($1) AND typcategory = 'A' AND typdelim = ','",
      values: [strange],
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
    const messenger = await this.#openAnother();
    try {
      await messenger.query("SELECT pg_cancel_backend($1)", [this.#processId]);
    } finally {
      await messenger.end();
    }
  }

  async endLeftovers(): Promise<void> {}

  close(): Promise<void> {
    return this.#client.end();
  }
}

/** How many rows like these make about a megabyte: wide rows come in small batches. */
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
