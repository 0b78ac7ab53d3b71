import { lookup } from "node:dns/promises";
import { AppError, type Field } from "@querybell/domain";
import { type Database, networkHostOf } from "../databases.ts";
import type { Table } from "../engine.ts";
import type { CompiledStatement } from "../placeholders/compile-statement.ts";
import type { HostExit, TaskEnd, TaskOptions } from "./engine-host.ts";
import { failed } from "./failures.ts";
import { HostPool } from "./host-pool.ts";
import { type EngineFailure, RunLimits, type TaskRequest } from "./messages.ts";

export interface EngineHostsOptions {
  /** How many runs can go on at once: one for each host process. */
  size: number;
  /** Where the files of embedded databases lie. */
  dataFolder: string;
  /** The addresses that may be connected to for a host's name; throws to refuse it. */
  resolveHost?: (host: string) => Promise<string[]>;
  /** How long an engine has to confirm that it gave up a query before its process is ended; 1.5 seconds. */
  graceMs?: number;
  /** Told of every host that ended without being asked to. */
  onUnexpectedExit?: (exit: HostExit) => void;
}

export interface RunRequest {
  database: Database;
  statement: Pick<CompiledStatement, "text" | "values">;
  limits?: Partial<RunLimits>;
}

/** A failed run is an expected result: it is returned, not thrown. */
export type RunOutcome = CompletedRun | { kind: "failed"; failure: EngineFailure };

export interface CompletedRun {
  kind: "completed";
  fields: Field[];
  rowCount: number;
  /** `{"fields":[…],"rows":[…],"rowCount":n}`, the published result, compressed with gzip. */
  gzippedJson: Buffer;
  /** The size of that JSON before it was compressed. */
  jsonBytes: number;
  /** Which limit cut the result short, if one did. */
  cutBy: "rows" | "bytes" | null;
  /** What the engine says it read, or the rows it returned where it does not say. */
  rowsRead: number;
}

export interface EngineHosts {
  /** Waits for a free host. `signal` cancels, waiting or running; the outcome then comes once it is over. */
  run(request: RunRequest, options?: TaskOptions): Promise<RunOutcome>;
  /** The database's version; throws `AppError` when it cannot be reached or does not let us in. */
  testConnection(database: Database): Promise<string>;
  /** Throws `AppError` as `testConnection` does. */
  listTables(database: Database): Promise<Table[]>;
  /** Ends all hosts; runs in progress fail. */
  close(): Promise<void>;
}

const descriptionLimits = RunLimits.parse({ timeMs: 20_000 });

export function createEngineHosts(options: EngineHostsOptions): EngineHosts {
  const { size, dataFolder, resolveHost = resolvePlainly } = options;
  const { graceMs = 1_500, onUnexpectedExit = () => {} } = options;
  const pool = new HostPool({ size, graceMs, onUnexpectedExit });
  let lastId = 0;

  return {
    async run({ database, statement, limits = {} }, taskOptions = {}) {
      const request = { kind: "run" as const, database, statement, limits: RunLimits.parse(limits) };
      const { answer, chunks } = await perform(request, taskOptions);
      if (answer.kind === "failed") return answer;
      if (answer.kind !== "completed") throw unexpected(answer.kind);
      return { ...answer, rowsRead: answer.rowsRead ?? answer.rowCount, gzippedJson: Buffer.concat(chunks) };
    },

    async testConnection(database) {
      const { answer } = await perform({ kind: "version", database, limits: descriptionLimits });
      if (answer.kind === "failed") throw toRefusal(answer.failure);
      if (answer.kind !== "version") throw unexpected(answer.kind);
      return answer.version;
    },

    async listTables(database) {
      const { answer } = await perform({ kind: "tables", database, limits: descriptionLimits });
      if (answer.kind === "failed") throw toRefusal(answer.failure);
      if (answer.kind !== "tables") throw unexpected(answer.kind);
      return answer.tables;
    },

    close: () => pool.close(),
  };

  async function perform(
    request: TaskRequest,
    taskOptions: TaskOptions = {},
  ): Promise<Pick<TaskEnd, "answer" | "chunks">> {
    const host = networkHostOf(request.database);
    let addresses: string[] = [];
    try {
      if (host !== undefined) addresses = await resolveHost(host);
    } catch (error) {
      const message = `${host} cannot be connected to: ${error instanceof Error ? error.message : error}`;
      return { answer: failed({ code: "database_unreachable", message }), chunks: [] };
    }
    lastId++;
    return pool.perform({ ...request, id: lastId, dataFolder, addresses }, taskOptions);
  }
}

/** Whatever the name leads to. Where users choose the host, a guard must stand here instead. */
async function resolvePlainly(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
}

/** What a caller who waits can act on; anything else about a host is not theirs to solve. */
function toRefusal({ code, message }: EngineFailure): AppError {
  switch (code) {
    case "database_unreachable":
    case "database_credentials_refused":
    case "query_failed":
      return new AppError(code, message);
    default:
      return new AppError("unavailable", message);
  }
}

const unexpected = (kind: string) => new Error(`An engine host gave an answer of the wrong kind: ${kind}.`);
