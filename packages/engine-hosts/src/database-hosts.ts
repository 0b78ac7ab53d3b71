import { randomUUID } from "node:crypto";
import { DatabaseLimits, type FairSlotsOptions, type Field } from "@querybell/domain";
import {
  addComments,
  type Database,
  engineOf,
  groupColumns,
  type Table,
  type TablePage,
} from "@querybell/engines";
import type { CompiledStatement } from "@querybell/statements";
import { readPieces, type StoredResult } from "./computing-hosts.ts";
import { type DatabaseFiles, withCurrentFiles } from "./database-files.ts";
import type { HostTask, SendOptions, TaskOptions, TogetherOptions, WaitOptions } from "./engine-host.ts";
import { toTaskError, unexpectedAnswer } from "./failures.ts";
import { HostSlots, notStarted, type TaskOutcome } from "./host-slots.ts";
import type { Hosts } from "./hosts.ts";
import type { Answer, EngineFailure, TaskRequest } from "./messages.ts";
import type { TaskLists } from "./sent-task.ts";
import { type KnownServers, ServerAttempt, type WithheldReason } from "./server-attempt.ts";

export interface DatabaseHostsOptions {
  /** How many tasks on databases are executed at once. */
  size: number;
  /** Limits on tasks that wait for a slot; see `FairSlots`. */
  limits?: Omit<FairSlotsOptions, "size"> | undefined;
  /** The folder of the files of embedded databases. */
  dataFolder: string;
  /** Resolves the host of a database to the addresses that may be connected to. Users choose hosts: use a guard. */
  resolveHost: (host: string) => Promise<HostResolution>;
  /** Called with the reason of a failed connection if the caller does not get it. */
  onWithheldReason?: ((reason: WithheldReason) => void) | undefined;
}

/** The addresses of a host, or the failure of a task that needs it, as its caller gets it. */
export type HostResolution =
  | { kind: "resolved"; addresses: readonly string[] }
  | { kind: "failed"; failure: EngineFailure };

export interface DatabaseRequest {
  /** The organization of the database. Organizations never share a host, and share the slots fairly. */
  organizationId: string;
  database: Database;
  /** The servers for which the caller gets the reason of a failed connection. Default: all. */
  knownServers?: KnownServers;
}

export interface RunRequest extends DatabaseRequest {
  statement: Pick<CompiledStatement, "text" | "values">;
  limits?: Partial<DatabaseLimits>;
  /** Names the run on the server. The same for every execution of a run. */
  label?: string;
  /** Whether another process started this run before. Queries that it left on the server are ended first. */
  isTakenOver?: boolean;
  /** Results of charts that the statement reads as tables. */
  charts?: ChartResult[];
}

/** A stored result with the name of its table. */
export interface ChartResult extends StoredResult {
  name: string;
}

/** A failed run is an expected result: it is returned, not thrown. */
type RunOutcome = CompletedRun | { kind: "failed"; failure: EngineFailure };

export interface CompletedRun {
  kind: "completed";
  fields: Field[];
  rowCount: number;
  /**
   * `{"fields":[…],"rows":[…],"rowCount":n}`, the published result, compressed with gzip, in pieces: joining those of a
   * large result would block the event loop.
   */
  gzippedPieces: Uint8Array[];
  /** The size of that JSON before compression. */
  jsonBytes: number;
  /** The SHA-256 of the compressed bytes, as base64url. */
  etag: string;
  /** The limit that truncated the result, if one did. */
  cutBy: "rows" | "bytes" | null;
  /** The number of rows that the engine read, or returned if it does not report that. */
  rowsRead: number;
}

interface TogetherRequest extends DatabaseRequest {
  statements: Pick<CompiledStatement, "text" | "values">[];
  /** Of each statement. */
  limits?: Partial<DatabaseLimits>;
  label?: string;
}

/** How each statement ended, in their order. */
type TogetherOutcome =
  | { kind: "ended"; parts: PartOutcome[] }
  | { kind: "failed"; failure: EngineFailure; parts: PartOutcome[] };
export type PartOutcome = Omit<CompletedRun, "fields"> | { kind: "failed"; failure: EngineFailure };

interface TestedConnection {
  version: string;
  /** Sentences for the admin, usually none. */
  warnings: string[];
}

export interface DatabaseHosts {
  /** Waits for a free host. `signal` cancels the run; the promise still resolves only once it has ended. */
  run(request: RunRequest, options?: TaskOptions): Promise<RunOutcome>;
  /**
   * Runs statements one after the other, all of which see the database as it was at one moment. Failed, for example
   * because the host died: with those that had ended before.
   */
  runTogether(request: TogetherRequest, options?: TogetherOptions): Promise<TogetherOutcome>;
  /** Throws `AppError` if the database cannot be reached or refuses the credentials. */
  testConnection(request: DatabaseRequest, options?: WaitOptions): Promise<TestedConnection>;
  /** Throws `AppError` as `testConnection` does. */
  listTables(request: DatabaseRequest & TablePage, options?: WaitOptions): Promise<Table[]>;
  /** Throws `AppError` as `testConnection` does. */
  listSchemas(request: DatabaseRequest, options?: WaitOptions): Promise<string[]>;
  /** Ends the queries that a run with this label has left on the server, if the engine continues them without a client. */
  endAbandonedQueries(request: DatabaseRequest, label: string): Promise<void>;
  close(): void;
}

type DatabaseTaskRequest = TaskRequest & Pick<DatabaseRequest, "knownServers">;

const isAnswerOf = <Kind extends Answer["kind"]>(
  kind: Kind,
  answer: Answer,
): answer is Extract<Answer, { kind: Kind }> => answer.kind === kind;

const descriptionLimits = DatabaseLimits.parse({ timeMs: 20_000 });

/** The hosts that run statements on databases and describe what is in them. */
export function createDatabaseHosts(hosts: Hosts, options: DatabaseHostsOptions): DatabaseHosts {
  const { size, limits, dataFolder, resolveHost, onWithheldReason = () => {} } = options;
  const slots = new HostSlots({ ...limits, hosts, size });
  return {
    async run(
      { limits = {}, label = randomUUID(), isTakenOver = false, charts = [], ...request },
      { signal, ...taskOptions } = {},
    ) {
      if (isTakenOver) await endAbandonedQueries(request, label);
      const names = charts.map(({ name }) => name);
      const input = charts.length > 0 ? readPieces(charts, signal) : undefined;
      const { answer, chunks, lists, hostDied } = await runOnDatabase(
        { kind: "run", ...request, charts: names, label, limits: DatabaseLimits.parse(limits) },
        { signal, ...taskOptions, ...input },
      );
      input?.throwIfUnreadable();
      if (hostDied) await endAbandonedQueries(request, label);
      if (answer.kind === "failed") return answer;
      if (answer.kind !== "completed") throw unexpectedAnswer(answer.kind);
      const { rowsRead = answer.rowCount } = answer;
      return { ...answer, fields: lists.fields, rowsRead, gzippedPieces: chunks };
    },

    async runTogether({ limits = {}, label = randomUUID(), ...request }, taskOptions) {
      const task = { kind: "run_together", ...request, label, limits: DatabaseLimits.parse(limits) } as const;
      const outcome = await runOnDatabase(task, taskOptions);
      const parts = outcome.parts.map(({ answer, chunks }): PartOutcome => {
        if (answer.kind === "failed") return answer;
        return { ...answer, rowsRead: answer.rowsRead ?? answer.rowCount, gzippedPieces: chunks };
      });
      const { answer } = outcome;
      if (answer.kind === "failed") return { ...answer, parts };
      if (answer.kind !== "together_ended") throw unexpectedAnswer(answer.kind);
      return { kind: "ended", parts };
    },

    async testConnection(request, waitOptions) {
      const task = { kind: "version", ...request, limits: descriptionLimits } as const;
      const { answer } = await describe("version", task, waitOptions);
      return { version: answer.version, warnings: answer.warnings };
    },

    async listTables(request, waitOptions) {
      const task = { kind: "tables", ...request, limits: descriptionLimits } as const;
      const { lists } = await describe("tables", task, waitOptions);
      return addComments(groupColumns(lists.columns), lists.comments);
    },

    async listSchemas(request, waitOptions) {
      const task = { kind: "schemas", ...request, limits: descriptionLimits } as const;
      const { lists } = await describe("schemas", task, waitOptions);
      return lists.schemas;
    },

    endAbandonedQueries,
    close: () => slots.close(),
  };

  async function describe<Kind extends Answer["kind"]>(
    kind: Kind,
    task: DatabaseTaskRequest,
    waitOptions?: WaitOptions,
  ): Promise<{ answer: Extract<Answer, { kind: Kind }>; lists: TaskLists }> {
    const { answer, lists } = await runOnDatabase(task, waitOptions);
    if (answer.kind === "failed") throw toTaskError(answer.failure);
    if (!isAnswerOf(kind, answer)) throw unexpectedAnswer(answer.kind);
    return { answer, lists };
  }

  /** If this fails, the time limit that the server enforces itself ends the queries. */
  async function endAbandonedQueries(
    { organizationId, database }: DatabaseRequest,
    label: string,
  ): Promise<void> {
    if (!engineOf(database.engine).queriesOutliveClients) return;
    await runOnDatabase({
      kind: "end_abandoned_queries",
      organizationId,
      database,
      label,
      limits: descriptionLimits,
    });
  }

  async function runOnDatabase(
    { knownServers, ...request }: DatabaseTaskRequest,
    taskOptions?: SendOptions,
  ): Promise<TaskOutcome> {
    const { database, organizationId } = request;
    const server = engineOf(database.engine).server(database.configuration);
    if (!server) return runInPool(request, taskOptions);
    const attempt = new ServerAttempt(server);
    const resolved = await resolveHost(server.host);
    const outcome =
      resolved.kind === "failed"
        ? notStarted(resolved.failure)
        : await runInPool(request, taskOptions, () => attempt.openSocket(resolved.addresses));
    if (!knownServers) return outcome;
    const answer = await attempt.withholdReason(outcome.answer, knownServers, (reason) =>
      onWithheldReason({ organizationId, ...reason }),
    );
    return { ...outcome, answer };
  }

  async function runInPool(
    request: TaskRequest,
    taskOptions: SendOptions = {},
    openSocket?: HostTask["openSocket"],
  ): Promise<TaskOutcome> {
    const runOn = (files: DatabaseFiles) =>
      slots.runTask(
        {
          // The runs whose queries are to be ended may occupy all slots.
          isUrgent: request.kind === "end_abandoned_queries",
          task: { label: randomUUID(), ...request, dataFolder },
          files,
          openSocket,
        },
        taskOptions,
      );
    return withCurrentFiles(request.database, dataFolder, { runOn, isUnreachable });
  }
}

const isUnreachable = ({ answer }: TaskOutcome): boolean =>
  answer.kind === "failed" && answer.failure.code === "database_unreachable";
