import type { Socket } from "node:net";
import type {
  DatabaseConnection,
  EngineKind,
  EngineProgress,
  Field,
  RunFailureCode,
} from "@querybell/domain";
import type { JsonValue } from "@querybell/domain/results";
import type { CompiledStatement, Dialect } from "@querybell/statements";
import type { z } from "zod";
import type { NamedResult } from "./duckdb/result-tables.ts";

/** The connections that admins can give, by engine. */
type Connections = { [Connection in DatabaseConnection as Connection["engine"]]: Connection };

/** The description of an engine. It loads no driver, so that every process can use it. */
export interface Engine<Kind extends EngineKind, Configuration> {
  /** A database of this engine, as a host gets it. */
  database: z.ZodType<{ engine: Kind; configuration: Configuration }>;
  /** Converts the connection that an admin has given. All organizations share the folder of embedded databases. */
  configure(connection: Connections[Kind], organization: { slug: string }): Configuration;
  /** What an admin is asked to send again if the server changes; undefined for an engine without credentials. */
  credentialsName?: string;
  /** The server to connect to, whose host the guard checks first; undefined for a local file. */
  server(configuration: Configuration): Server | undefined;
  /** The names of its files in the data folder. A host sees no other files of the folder. */
  files(configuration: Configuration): string[];
  dialect: Dialect;
  /** Whether sessions have snapshots. */
  hasSnapshots: boolean;
  /** Whether the server continues a query after its client has disconnected. Then the driver can end it. */
  queriesOutliveClients: boolean;
  /** Loads the driver, inside an engine host. Loading modules is most of the time that a host takes to start. */
  loadDriver(): Promise<Driver<Configuration>>;
}

export interface Server {
  host: string;
  port: number;
}

export interface Driver<Configuration> {
  /**
   * A session serves one run, so that no state is left for the next. Throws `EngineError` if the database cannot be
   * reached or refuses the credentials.
   */
  connect(configuration: Configuration, context: ConnectionContext): Promise<EngineSession>;
  /** Ends queries of earlier sessions with the same label. */
  endAbandonedQueries?(configuration: Configuration, context: ConnectionContext): Promise<void>;
}

export interface ConnectionContext {
  /** The folder with the files of embedded databases. */
  dataFolder: string;
  /**
   * Returns a socket that the parent has connected to the server, at an address that the guard has checked. A host
   * has no network.
   */
  openSocket(): Promise<Socket>;
  /** The time limit of the run. An engine should enforce it on the server too, if it can. */
  timeMs: number;
  /** Called whenever the engine reports progress. */
  onProgress(progress: EngineProgress): void;
  /** Names the run on the server, so that its queries can be found there. */
  label: string;
  /** The memory an embedded engine may use. */
  memoryBytes: number;
}

export interface EngineSession {
  version(): Promise<string>;
  /** Sentences for the admin about this connection, usually none. */
  warnings(): Promise<string[]>;
  /** Without a schema: the tables of the session's schema, or of all schemas where the engine lists all at once. */
  listTables(page: TablePage): Promise<Table[]>;
  listSchemas(): Promise<string[]>;
  /** Makes results of charts readable as tables, where an engine can do that. */
  addResults?(results: readonly NamedResult[]): Promise<void>;
  /**
   * Lets all statements that follow see the database as it is now, whatever is written meanwhile. One that fails does not
   * end it. Absent where an engine has no such thing.
   */
  beginSnapshot?(): Promise<void>;
  /** Of an execution before, nothing more is read. */
  execute(statement: Pick<CompiledStatement, "text" | "values">): Promise<Execution>;
  /**
   * Asks the engine to stop the statement. A request may get lost, so the host repeats it until the call in progress
   * has ended, which is the engine's confirmation.
   */
  interrupt(): Promise<void>;
  close(): Promise<void>;
}

export interface Execution {
  fields: Field[];
  /** Rows in the published form, one value for each field. */
  batches: AsyncIterable<JsonValue[][]>;
  /** The number of rows that the engine has read so far, if it reports that. */
  rowsRead(): number | undefined;
}

/** A page of tables: a catalog can have many thousands. */
export interface TablePage {
  schema?: string | undefined;
  /** The name of the last table of the page before; tables are sorted by name. */
  after?: string | undefined;
}

export interface Table {
  schema: string;
  name: string;
  columns: Column[];
  /** The comment that the database has on it, if any. */
  comment?: string;
}

interface Column {
  name: string;
  /** The engine's name of the type. */
  type: string;
  comment?: string;
}

/** The maximum length of a comment. A longer one is cut. */
export const maxCommentLength = 500;

/** A failure of a database, with a message for the author of the query. */
export class EngineError extends Error {
  override readonly name = "EngineError";
  readonly code: RunFailureCode;
  /** The position in the statement's text, if the engine reported one. */
  readonly offset: number | undefined;

  constructor(
    code: RunFailureCode,
    message: string,
    { offset, ...options }: ErrorOptions & { offset?: number | undefined } = {},
  ) {
    super(message, options);
    this.code = code;
    this.offset = offset;
  }
}

/** Groups rows of schema, table, column and type, sorted by table, into tables. */
export function groupColumns(rows: readonly string[][]): Table[] {
  const tables: Table[] = [];
  for (const [schema = "", name = "", column = "", type = ""] of rows) {
    const last = tables.at(-1);
    if (last?.schema === schema && last.name === name) last.columns.push({ name: column, type });
    else tables.push({ schema, name, columns: [{ name: column, type }] });
  }
  return tables;
}

/** Rows of schema, table, column and comment. The comment of a table has an empty column. */
export type CommentRow = readonly string[];

/** Adds comments to their tables and columns. Comments on anything else are left out. */
export function addComments(tables: readonly Table[], comments: readonly CommentRow[]): Table[] {
  const keyOf = (...names: string[]) => names.join("\0");
  const found = new Map(
    comments.map(([schema = "", table = "", column = "", text = ""]) => [keyOf(schema, table, column), text]),
  );
  const commented = <Item extends object>(item: Item, ...names: string[]): Item & { comment?: string } => {
    const comment = found.get(keyOf(...names));
    return comment ? { ...item, comment } : item;
  };
  return tables.map(({ columns, ...table }) => ({
    ...commented(table, table.schema, table.name, ""),
    columns: columns.map((column) => commented(column, table.schema, table.name, column.name)),
  }));
}

/** For engines that list all tables at once. */
export const tablesOfPage = (tables: Table[], { schema, after }: TablePage): Table[] =>
  tables.filter(
    (table) =>
      (schema === undefined || table.schema === schema) && (after === undefined || table.name > after),
  );

export const schemasOf = (tables: readonly Table[]): string[] => [
  ...new Set(tables.map(({ schema }) => schema)),
];
