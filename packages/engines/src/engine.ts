import type { Socket } from "node:net";
import type { EngineProgress, Field, RunFailureCode } from "@querybell/domain";
import type { z } from "zod";
import type { CompiledStatement } from "./placeholders/compile-statement.ts";
import type { Dialect } from "./placeholders/dialect.ts";
import type { JsonValue } from "./results/json-value.ts";

/** What the rest of the product knows of an engine: no driver is loaded for it. */
export interface Engine<Configuration> {
  configuration: z.ZodType<Configuration>;
  dialect: Dialect;
  /** Which parts of a configuration are credentials: stored encrypted, never shown again. */
  secrets: readonly (keyof Configuration & string)[];
  /** The server whose host must be resolved, and may be refused, before connecting; undefined for a local file. */
  server(configuration: Configuration): Server | undefined;
  /** Whether its server goes on with a query whose client is gone. */
  outlivesClients: boolean;
  /** The names of its files in the data folder; those that are there are all that a host sees of the folder. */
  files(configuration: Configuration): string[];
}

export interface Server {
  host: string;
  port: number;
}

/**
 * The driver's side, inside an engine host. A session serves one run and is closed, so that nothing of a
 * run is left for the next. Throws `EngineError` when the database is not there or does not let us in.
 */
export type Connect<Configuration> = (
  configuration: Configuration,
  context: ConnectionContext,
) => Promise<EngineSession>;

export interface ConnectionContext {
  /** Where the files of embedded databases lie. */
  dataFolder: string;
  /**
   * A socket that the parent has connected to the server, at an address that it has checked. A host has no
   * network of its own.
   */
  openSocket(): Promise<Socket>;
  /** The time the run has in all; an engine that can enforce it itself should. */
  timeMs: number;
  /** To be told what the engine itself says of how far it is, as often as it says something. */
  onProgress(progress: EngineProgress): void;
  /** Names the run on the server, so that what it left there can be found. */
  label: string;
  /** The memory an embedded engine may use. */
  memoryBytes: number;
}

export interface EngineSession {
  version(): Promise<string>;
  /** What an admin should know about this connection before people use it: sentences, mostly none. */
  warnings(): Promise<string[]>;
  /** Without a schema, those of the session's own or, where everything is at hand, of all. */
  listTables(page: TablePage): Promise<Table[]>;
  listSchemas(): Promise<string[]>;
  execute(statement: Pick<CompiledStatement, "text" | "values">): Promise<Execution>;
  /**
   * Asks the engine to stop what it is doing. One request may get lost on the way: the host repeats it
   * until the call in progress has ended, which is the engine's own confirmation.
   */
  interrupt(): Promise<void>;
  /**
   * Ends what earlier sessions with this session's label have left running. Only for servers that do not notice
   * that a connection is gone.
   */
  endLeftovers(): Promise<void>;
  close(): Promise<void>;
}

export interface Execution {
  fields: Field[];
  /** Rows in the published form, one value for each field. */
  batches: AsyncIterable<JsonValue[][]>;
  /** How many rows the engine read to find these, where it reports that. */
  rowsRead(): number | undefined;
}

/** Which tables to list: a catalog can have many thousands. */
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
  /** The type in the engine's own words. */
  type: string;
}

/** What went wrong with a database, in words for the person whose query it is. */
export class EngineError extends Error {
  override readonly name = "EngineError";
  readonly code: RunFailureCode;
  /** Where in the statement's text, if the engine said. */
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
