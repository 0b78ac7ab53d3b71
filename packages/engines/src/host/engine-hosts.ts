import { lookup } from "node:dns/promises";
import { AppError, type Field, type RunFailure } from "@querybell/domain";
import { type Database, serverOf } from "../databases.ts";
import type { Table } from "../engine.ts";
import type { CompiledStatement } from "../placeholders/compile-statement.ts";
import { findDatabaseFiles } from "./database-files.ts";
import type { HostExit, TaskEnd, TaskOptions } from "./engine-host.ts";
import { failed } from "./failures.ts";
import type { FairSlotsOptions } from "./fair-slots.ts";
import { HostPool } from "./host-pool.ts";
import { findIsolation } from "./isolation/find-isolation.ts";
import type { Isolation } from "./isolation/isolation.ts";
import { RunLimits, type TaskRequest } from "./messages.ts";
import { connectToServer } from "./server-socket.ts";

export interface EngineHostsOptions {
  /** How many tasks are performed at once, each in a host process. */
  size: number;
  /** How the tasks that wait for a slot are limited; see `FairSlots`. */
  limits?: Omit<FairSlotsOptions, "size"> | undefined;
  /** How long a host without a task is kept. */
  idleMs?: number;
  /** How hosts are kept apart; the strongest way that works here unless told. */
  isolation?: Isolation | undefined;
  /** Where the files of embedded databases lie. */
  dataFolder: string;
  /** The addresses that may be connected to for a host's name; throws to refuse it. */
  resolveHost?: (host: string) => Promise<string[]>;
  /** How long an engine has to confirm that it gave up a query before its process is ended; 1.5 seconds. */
  graceMs?: number;
  /** Told of every host that ended without being asked to. */
  onUnexpectedExit?: (exit: HostExit) => void;
}

export interface DatabaseRequest {
  /** Whose database it is: organizations never share a host, and share the slots fairly. */
  organizationId: string;
  database: Database;
}

export interface RunRequest extends DatabaseRequest {
  statement: Pick<CompiledStatement, "text" | "values">;
  limits?: Partial<RunLimits>;
}

/** `signal` is aborted when nobody waits for the answer any more. */
export type WaitOptions = Pick<TaskOptions, "signal">;

/** A failed run is an expected result: it is returned, not thrown. */
export type RunOutcome = CompletedRun | { kind: "failed"; failure: RunFailure };

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
  testConnection(request: DatabaseRequest, options?: WaitOptions): Promise<string>;
  /** Throws `AppError` as `testConnection` does. */
  listTables(request: DatabaseRequest, options?: WaitOptions): Promise<Table[]>;
  /** How hosts are kept apart. */
  isolation(): Promise<Isolation>;
  /** Ends all hosts; runs in progress fail. */
  close(): Promise<void>;
}

const descriptionLimits = RunLimits.parse({ timeMs: 20_000 });

export function createEngineHosts(options: EngineHostsOptions): EngineHosts {
  const { size, dataFolder, resolveHost = resolvePlainly } = options;
  const { graceMs = 1_500, onUnexpectedExit = () => {} } = options;
  const isolation = async () => options.isolation ?? (await findIsolation("auto"));
  const pool = new HostPool({
    ...options.limits,
    isolation,
    size,
    graceMs,
    idleMs: options.idleMs,
    onUnexpectedExit,
  });
  let lastId = 0;

  return {
    async run({ limits = {}, ...request }, taskOptions = {}) {
      const { answer, chunks } = await perform(
        { kind: "run", ...request, limits: RunLimits.parse(limits) },
        taskOptions,
      );
      if (answer.kind === "failed") return answer;
      if (answer.kind !== "completed") throw unexpected(answer.kind);
      return { ...answer, rowsRead: answer.rowsRead ?? answer.rowCount, gzippedJson: Buffer.concat(chunks) };
    },

    async testConnection(request, waitOptions) {
      const { answer } = await perform(
        { kind: "version", ...request, limits: descriptionLimits },
        waitOptions,
      );
      if (answer.kind === "failed") throw toRefusal(answer.failure);
      if (answer.kind !== "version") throw unexpected(answer.kind);
      return answer.version;
    },

    async listTables(request, waitOptions) {
      const { answer } = await perform(
        { kind: "tables", ...request, limits: descriptionLimits },
        waitOptions,
      );
      if (answer.kind === "failed") throw toRefusal(answer.failure);
      if (answer.kind !== "tables") throw unexpected(answer.kind);
      return answer.tables;
    },

    isolation,
    close: () => pool.close(),
  };

  async function perform(
    request: TaskRequest,
    taskOptions: TaskOptions = {},
  ): Promise<Pick<TaskEnd, "answer" | "chunks">> {
    const server = serverOf(request.database);
    let addresses: string[] = [];
    try {
      if (server) addresses = await resolveHost(server.host);
    } catch (error) {
      const message = `${server?.host} cannot be connected to: ${error instanceof Error ? error.message : error}`;
      return { answer: failed({ code: "database_unreachable", message }), chunks: [] };
    }
    lastId++;
    return pool.perform(
      {
        task: { ...request, id: lastId, dataFolder },
        files: await findDatabaseFiles(request.database, dataFolder),
        openSocket: server && (() => connectToServer(addresses, server.port)),
      },
      taskOptions,
    );
  }
}

/** Whatever the name leads to. Where users choose the host, a guard must stand here instead. */
async function resolvePlainly(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
}

/** What a caller who waits can act on; anything else about a host is not theirs to solve. */
function toRefusal({ code, message }: RunFailure): AppError {
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
