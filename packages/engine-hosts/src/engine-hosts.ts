import { randomUUID } from "node:crypto";
import { DatabaseLimits, type FairSlotsOptions, type Field } from "@querybell/domain";
import type { Server, Table, TablePage } from "@querybell/engines";
import { type Database, engineOf, groupColumns } from "@querybell/engines";
import type { CompiledStatement } from "@querybell/statements";
import type { OperationAnswer, ResultOperation } from "@querybell/summaries/operations";
import { findDatabaseFiles, noFiles } from "./database-files.ts";
import type { HostExit, HostTask, TaskOptions, WaitOptions } from "./engine-host.ts";
import { toAppError, unexpectedAnswer } from "./failures.ts";
import { HostPool, notPerformed, type PerformedTask } from "./host-pool.ts";
import { findIsolation } from "./isolation/find-isolation.ts";
import type { Isolation } from "./isolation/isolation.ts";
import type { Answer, EngineFailure, TaskRequest } from "./messages.ts";
import { readPieces } from "./read-pieces.ts";
import { type KnownServers, ServerAttempt, type WithheldReason } from "./server-attempt.ts";
import type { TaskLists } from "./task-in-progress.ts";
import { createUploadHosts, type UploadHosts } from "./uploads/upload-hosts.ts";

export interface EngineHostsOptions {
  /** The number of tasks that are performed at once, each in a host process. */
  size: number;
  /** Limits on tasks that wait for a slot; see `FairSlots`. */
  limits?: Omit<FairSlotsOptions, "size"> | undefined;
  /** How long an idle host is kept. */
  idleMs?: number;
  /** How much memory idle hosts may take; see `HostPool`. Default: a sixteenth of the machine's. */
  idleBytes?: number | undefined;
  /** Whether a spare host is started in advance for the next organization that queries a database server. */
  keepsSpareHost?: boolean | undefined;
  /** The isolation method of hosts. Default: the strongest that works on this machine. */
  isolation?: Isolation | undefined;
  /** The folder of the files of embedded databases. */
  dataFolder: string;
  /** Resolves the host of a database to the addresses that may be connected to. Users choose hosts: use a guard. */
  resolveHost: (host: string) => Promise<HostResolution>;
  /** How long an engine may take to confirm that it stopped a query before its process is killed. Default: 1.5 s. */
  graceMs?: number;
  /** Called for every host that ended without `close`. */
  onUnexpectedExit?: (exit: HostExit) => void;
  /** Called with the reason of a failed connection if the caller does not get it. */
  onWithheldReason?: (reason: WithheldReason) => void;
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
}

export interface ComputeRequest<Name extends ResultOperation["name"]> {
  organizationId: string;
  operation: Extract<ResultOperation, { name: Name }>;
  results: StoredResult[];
}

/** A stored, compressed result. Read in pieces, so that this process never holds all of it. */
export interface StoredResult {
  /** Whether a limit truncated it. */
  cut: boolean;
  read(): AsyncIterable<Uint8Array>;
}

export type ComputeOutcome<Name extends ResultOperation["name"]> =
  | { kind: "computed"; answer: Extract<OperationAnswer, { name: Name }> }
  | { kind: "failed"; failure: EngineFailure };

/** A failed run is an expected result: it is returned, not thrown. */
export type RunOutcome = CompletedRun | { kind: "failed"; failure: EngineFailure };

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

interface TestedConnection {
  version: string;
  /** Sentences for the admin, usually none. */
  warnings: string[];
}

export interface EngineHosts extends Pick<UploadHosts, "previewUpload" | "changeTables"> {
  /** Waits for a free host. `signal` cancels the run; the promise still resolves only once it has ended. */
  run(request: RunRequest, options?: TaskOptions): Promise<RunOutcome>;
  /** Throws `AppError` if the database cannot be reached or refuses the credentials. */
  testConnection(request: DatabaseRequest, options?: WaitOptions): Promise<TestedConnection>;
  /** Throws `AppError` as `testConnection` does. */
  listTables(request: DatabaseRequest & TablePage, options?: WaitOptions): Promise<Table[]>;
  /** Throws `AppError` as `testConnection` does. */
  listSchemas(request: DatabaseRequest, options?: WaitOptions): Promise<string[]>;
  /** Computes from stored results, outside of this process: see `ResultOperation`. */
  compute<Name extends ResultOperation["name"]>(
    request: ComputeRequest<Name>,
    options?: WaitOptions,
  ): Promise<ComputeOutcome<Name>>;
  /** Ends the queries that a run with this label has left on the server, if the engine continues them without a client. */
  endAbandonedQueries(request: DatabaseRequest, label: string): Promise<void>;
  /** The isolation method of the hosts. */
  isolation(): Promise<Isolation>;
  /** Stops all hosts. Runs in progress fail. */
  close(): Promise<void>;
}

type DatabaseTaskRequest = TaskRequest & Pick<DatabaseRequest, "knownServers">;

const isAnswerTo = <Name extends ResultOperation["name"]>(
  name: Name,
  answer: OperationAnswer,
): answer is Extract<OperationAnswer, { name: Name }> => answer.name === name;

const isAnswerOf = <Kind extends Answer["kind"]>(
  kind: Kind,
  answer: Answer,
): answer is Extract<Answer, { kind: Kind }> => answer.kind === kind;

const computingSize = 2;
const computingLimits = DatabaseLimits.parse({ timeMs: 120_000 });
const descriptionLimits = DatabaseLimits.parse({ timeMs: 20_000 });

export function createEngineHosts(options: EngineHostsOptions): EngineHosts {
  const { size, dataFolder, resolveHost } = options;
  const { graceMs = 1_500, onUnexpectedExit = () => {}, onWithheldReason = () => {} } = options;
  const isolation = async () => options.isolation ?? (await findIsolation("auto"));
  const common = {
    isolation,
    graceMs,
    idleMs: options.idleMs,
    idleBytes: options.idleBytes,
    onUnexpectedExit,
  };
  const pool = new HostPool({ ...options.limits, ...common, size, keepsSpare: options.keepsSpareHost });
  // Separate slots, so that computing from a result never waits for slow queries.
  const computing = new HostPool({ ...common, size: computingSize });
  const uploads = createUploadHosts(common);
  let lastId = 0;

  return {
    async run({ limits = {}, label = randomUUID(), isTakenOver = false, ...request }, taskOptions = {}) {
      if (isTakenOver) await endAbandonedQueries(request, label);
      const { answer, chunks, lists, hostDied } = await perform(
        { kind: "run", ...request, label, limits: DatabaseLimits.parse(limits) },
        taskOptions,
      );
      if (hostDied) await endAbandonedQueries(request, label);
      if (answer.kind === "failed") return answer;
      if (answer.kind !== "completed") throw unexpectedAnswer(answer.kind);
      const { rowsRead = answer.rowCount } = answer;
      return { ...answer, fields: lists.fields, rowsRead, gzippedPieces: chunks };
    },

    async testConnection(request, waitOptions) {
      const task = { kind: "version", ...request, limits: descriptionLimits } as const;
      const { answer } = await describe("version", task, waitOptions);
      return { version: answer.version, warnings: answer.warnings };
    },

    async listTables(request, waitOptions) {
      const task = { kind: "tables", ...request, limits: descriptionLimits } as const;
      const { lists } = await describe("tables", task, waitOptions);
      return groupColumns(lists.columns);
    },

    async listSchemas(request, waitOptions) {
      const task = { kind: "schemas", ...request, limits: descriptionLimits } as const;
      const { lists } = await describe("schemas", task, waitOptions);
      return lists.schemas;
    },

    async compute({ organizationId, operation, results }, { signal } = {}) {
      const task = {
        kind: "compute" as const,
        id: ++lastId,
        organizationId,
        operation,
        cuts: results.map(({ cut }) => cut),
        limits: computingLimits,
      };
      const input = readPieces(results, signal);
      const { answer } = await computing.perform({ task, files: noFiles }, input);
      input.throwIfUnreadable();
      if (answer.kind === "failed") return answer;
      if (answer.kind !== "computed" || !isAnswerTo(operation.name, answer.answer)) {
        throw unexpectedAnswer(answer.kind);
      }
      return { kind: "computed", answer: answer.answer };
    },

    previewUpload: uploads.previewUpload,
    changeTables: uploads.changeTables,
    endAbandonedQueries,
    isolation,
    async close() {
      await Promise.all([pool.close(), computing.close(), uploads.close()]);
    },
  };

  async function describe<Kind extends Answer["kind"]>(
    kind: Kind,
    task: DatabaseTaskRequest,
    waitOptions?: WaitOptions,
  ): Promise<{ answer: Extract<Answer, { kind: Kind }>; lists: TaskLists }> {
    const { answer, lists } = await perform(task, waitOptions);
    if (answer.kind === "failed") throw toAppError(answer.failure);
    if (!isAnswerOf(kind, answer)) throw unexpectedAnswer(answer.kind);
    return { answer, lists };
  }

  /** If this fails, the time limit that the server enforces itself ends the queries. */
  async function endAbandonedQueries(
    { organizationId, database }: DatabaseRequest,
    label: string,
  ): Promise<void> {
    if (!engineOf(database.engine).queriesOutliveClients) return;
    await perform({
      kind: "end_abandoned_queries",
      organizationId,
      database,
      label,
      limits: descriptionLimits,
    });
  }

  async function perform(
    { knownServers, ...request }: DatabaseTaskRequest,
    taskOptions?: TaskOptions,
  ): Promise<PerformedTask> {
    const server = engineOf(request.database.engine).server(request.database.configuration);
    if (!server) return performTask(request, taskOptions);
    const attempt = new ServerAttempt(server);
    const performed = await performOnServer(request, { server, attempt }, taskOptions);
    if (!knownServers) return performed;
    const { organizationId } = request;
    const answer = await attempt.withholdReason(performed.answer, knownServers, (reason) =>
      onWithheldReason({ organizationId, ...reason }),
    );
    return { ...performed, answer };
  }

  async function performOnServer(
    request: TaskRequest,
    { server, attempt }: { server: Server; attempt: ServerAttempt },
    taskOptions?: TaskOptions,
  ): Promise<PerformedTask> {
    const resolved = await resolveHost(server.host);
    if (resolved.kind === "failed") return notPerformed(resolved.failure);
    return performTask(request, taskOptions, () => attempt.openSocket(resolved.addresses));
  }

  async function performTask(
    request: TaskRequest,
    taskOptions: TaskOptions = {},
    openSocket?: HostTask["openSocket"],
  ): Promise<PerformedTask> {
    lastId++;
    return pool.perform(
      {
        // The runs whose queries are to be ended may occupy all slots.
        isUrgent: request.kind === "end_abandoned_queries",
        task: { label: randomUUID(), ...request, id: lastId, dataFolder },
        files: await findDatabaseFiles(request.database, dataFolder),
        openSocket,
      },
      taskOptions,
    );
  }
}
