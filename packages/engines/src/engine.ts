import type { Socket } from "node:net";
import type { EngineProgress, Field, RunFailureCode } from "@querybell/domain";
import type { JsonValue } from "@querybell/domain/results";
import type { CompiledStatement, Dialect } from "@querybell/statements";
import type { z } from "zod";

/** The description of an engine. It loads no driver, so that every process can use it. */
export interface Engine<Configuration> {
  configuration: z.ZodType<Configuration>;
  dialect: Dialect;
  /** The parts of a configuration that are credentials: stored encrypted, never returned. */
  secrets: readonly (keyof Configuration & string)[];
  /** The server to connect to, whose host the guard checks first; undefined for a local file. */
  server(configuration: Configuration): Server | undefined;
  /** Whether the server continues a query after its client has disconnected. */
  queriesOutliveClients: boolean;
  /** The names of its files in the data folder. A host sees no other files of the folder. */
  files(configuration: Configuration): string[];
}

export interface Server {
  host: string;
  port: number;
}

/**
 * Connects with the driver, inside an engine host. A session serves one run, so that no state is left for the next.
 * Throws `EngineError` if the database cannot be reached or refuses the credentials.
 */
export type Connect<Configuration> = (
  configuration: Configuration,
  context: ConnectionContext,
) => Promise<EngineSession>;

export interface ConnectionContext {
  /** The folder with the files of embedded databases. */
  dataFolder: string;
  /**
   * Returns a socket that the parent has connected to the server, at an address that the guard has checked. A host
   * has no network of its own.
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
}

export interface Column {
  name: string;
  /** The engine's name of the type. */
  type: string;
}

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
