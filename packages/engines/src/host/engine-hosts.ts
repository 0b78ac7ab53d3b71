import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { AppError, type FairSlotsOptions, type Field } from "@querybell/domain";
import { type Database, outlivesClients, serverOf } from "../databases.ts";
import type { Server, Table, TablePage } from "../engine.ts";
import type { CompiledStatement } from "../placeholders/compile-statement.ts";
import type { OperationAnswer, ResultOperation } from "../stored-results/operations.ts";
import type {
  ChangedTables,
  ChosenTypes,
  TableChange,
  UploadedFile,
  UploadPreview,
  UploadRefusal,
} from "../uploads/upload-tasks.ts";
import { findDatabaseFiles, noFiles } from "./database-files.ts";
import type { HostExit, HostTask, TaskEnd, TaskOptions } from "./engine-host.ts";
import { failed } from "./failures.ts";
import { HostPool } from "./host-pool.ts";
import { findIsolation } from "./isolation/find-isolation.ts";
import type { Isolation } from "./isolation/isolation.ts";
import { type EngineFailure, RunLimits, type TaskRequest } from "./messages.ts";
import { readPieces } from "./read-pieces.ts";
import { type KnownServers, ServerAttempt, type WithheldReason } from "./server-attempt.ts";

export interface EngineHostsOptions {
  /** How many tasks are performed at once, each in a host process. */
  size: number;
  /** How the tasks that wait for a slot are limited; see `FairSlots`. */
  limits?: Omit<FairSlotsOptions, "size"> | undefined;
  /** How long a host without a task is kept. */
  idleMs?: number;
  /** Whether a host is started ahead for the next organization that queries a database server. */
  keepsSpareHost?: boolean | undefined;
  /** How hosts are kept apart; the strongest way that works here unless told. */
  isolation?: Isolation | undefined;
  /** Where the files of embedded databases lie. */
  dataFolder: string;
  /** Resolves the host of a database to the addresses that may be connected to. Users choose hosts: use a guard. */
  resolveHost: (host: string) => Promise<HostResolution>;
  /** How long an engine has to confirm that it gave up a query before its process is ended; 1.5 seconds. */
  graceMs?: number;
  /** Told of every host that ended without being asked to. */
  onUnexpectedExit?: (exit: HostExit) => void;
  /** Told why a connection failed, where the caller is not. */
  onWithheldReason?: (reason: WithheldReason) => void;
}

/** The refusal is a sentence for the person who runs the query. */
export type HostResolution = { addresses: readonly string[] } | { refusal: string };

export interface DatabaseRequest {
  /** Whose database it is: organizations never share a host, and share the slots fairly. */
  organizationId: string;
  database: Database;
  /** Of which servers it is told why a connection failed; of all, where this is left out. */
  knownServers?: KnownServers;
}

export interface RunRequest extends DatabaseRequest {
  statement: Pick<CompiledStatement, "text" | "values">;
  limits?: Partial<RunLimits>;
  /** Names the run on the server; the same whenever it is begun again. */
  label?: string;
  /** Whether it was begun before, by a process that may have died: what that left on the server is ended first. */
  isTakenOver?: boolean;
}

export interface ComputeRequest<Name extends ResultOperation["name"]> {
  organizationId: string;
  operation: Extract<ResultOperation, { name: Name }>;
  results: StoredResult[];
}

/** A result as it is stored, compressed; read in pieces, so that this process never holds all of it. */
export interface StoredResult {
  /** Whether a limit cut it short. */
  cut: boolean;
  read(): AsyncIterable<Uint8Array>;
}

export type ComputeOutcome<Name extends ResultOperation["name"]> =
  | { kind: "computed"; answer: Extract<OperationAnswer, { name: Name }> }
  | { kind: "failed"; failure: EngineFailure };

export interface UploadPreviewRequest {
  organizationId: string;
  file: UploadedFile;
  types: ChosenTypes;
}

export interface TableChangeRequest {
  organizationId: string;
  /** A folder that is the host's own, with the database file to change if there is one. */
  workspace: string;
  /** The name of the database file in it. */
  fileName: string;
  maxFileBytes: number;
  change: TableChange;
}

type Refused = { kind: "refused"; refusal: UploadRefusal };
export type UploadPreviewOutcome = { kind: "previewed"; preview: UploadPreview } | Refused;
export type TableChangeOutcome =
  | { kind: "changed"; changed: ChangedTables }
  | { kind: "too_large" }
  | Refused;

/** `signal` is aborted when nobody waits for the answer any more. */
export type WaitOptions = Pick<TaskOptions, "signal">;

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

interface TestedConnection {
  version: string;
  /** What an admin should know before people use the connection: sentences, mostly none. */
  warnings: string[];
}

export interface EngineHosts {
  /** Waits for a free host. `signal` cancels, waiting or running; the outcome then comes once it is over. */
  run(request: RunRequest, options?: TaskOptions): Promise<RunOutcome>;
  /** What answers; throws `AppError` when the database cannot be reached or does not let us in. */
  testConnection(request: DatabaseRequest, options?: WaitOptions): Promise<TestedConnection>;
  /** Throws `AppError` as `testConnection` does. */
  listTables(request: DatabaseRequest & TablePage, options?: WaitOptions): Promise<Table[]>;
  /** Throws `AppError` as `testConnection` does. */
  listSchemas(request: DatabaseRequest, options?: WaitOptions): Promise<string[]>;
  /** Computes something of stored results, outside of this process: see `ResultOperation`. */
  compute<Name extends ResultOperation["name"]>(
    request: ComputeRequest<Name>,
    options?: WaitOptions,
  ): Promise<ComputeOutcome<Name>>;
  /** Looks into an uploaded file. Throws `AppError` when no host is free, or it takes too long. */
  previewUpload(request: UploadPreviewRequest, options?: WaitOptions): Promise<UploadPreviewOutcome>;
  /** Changes a database file in a folder of the host's own. Throws `AppError` as `previewUpload` does. */
  changeTables(request: TableChangeRequest, options?: WaitOptions): Promise<TableChangeOutcome>;
  /** How hosts are kept apart. */
  isolation(): Promise<Isolation>;
  /** Ends all hosts; runs in progress fail. */
  close(): Promise<void>;
}

type PerformedTask = Pick<TaskEnd, "answer" | "chunks" | "hostDied">;

const isAnswerTo = <Name extends ResultOperation["name"]>(
  name: Name,
  answer: OperationAnswer,
): answer is Extract<OperationAnswer, { name: Name }> => answer.name === name;

const computingSize = 2;
const computingLimits = RunLimits.parse({ timeMs: 120_000 });
// An answer to a request must come before the connection counts as idle.
const uploadLimits = RunLimits.parse({ timeMs: 75_000 });
const uploadSlots = {
  size: 2,
  maxPerOrganization: 1,
  maxWaitingPerOrganization: 5,
  maxWaiting: 50,
  waitMs: 15_000,
};
const descriptionLimits = RunLimits.parse({ timeMs: 20_000 });

export function createEngineHosts(options: EngineHostsOptions): EngineHosts {
  const { size, dataFolder, resolveHost } = options;
  const { graceMs = 1_500, onUnexpectedExit = () => {}, onWithheldReason = () => {} } = options;
  const isolation = async () => options.isolation ?? (await findIsolation("auto"));
  const common = { isolation, graceMs, idleMs: options.idleMs, onUnexpectedExit };
  const pool = new HostPool({ ...options.limits, ...common, size, keepsSpare: options.keepsSpareHost });
  // Slots of their own: who computes something of a result never waits for somebody's slow query.
  const computing = new HostPool({ ...common, size: computingSize });
  // Such a host may write: it has ended before anybody looks at what it wrote.
  const uploads = new HostPool({ ...common, ...uploadSlots, isSingleUse: true });
  let lastId = 0;

  return {
    async run({ limits = {}, label = randomUUID(), isTakenOver = false, ...request }, taskOptions = {}) {
      if (isTakenOver) await endLeftovers(request, label);
      const { answer, chunks, hostDied } = await perform(
        { kind: "run", ...request, label, limits: RunLimits.parse(limits) },
        taskOptions,
      );
      if (hostDied) await endLeftovers(request, label);
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
      return { version: answer.version, warnings: answer.warnings };
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

    async listSchemas(request, waitOptions) {
      const { answer } = await perform(
        { kind: "schemas", ...request, limits: descriptionLimits },
        waitOptions,
      );
      if (answer.kind === "failed") throw toRefusal(answer.failure);
      if (answer.kind !== "schemas") throw unexpected(answer.kind);
      return answer.schemas;
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
        throw unexpected(answer.kind);
      }
      return { kind: "computed", answer: answer.answer };
    },

    async previewUpload({ organizationId, file, types }, { signal } = {}) {
      const { answer } = await uploads.perform(
        {
          task: { kind: "preview_upload", id: ++lastId, organizationId, limits: uploadLimits, file, types },
          files: { paths: [file.path], identity: file.path },
        },
        { signal },
      );
      if (answer.kind === "failed") return toUploadRefusal(answer.failure);
      if (answer.kind === "upload_refused") return { kind: "refused", refusal: answer.refusal };
      if (answer.kind !== "upload_previewed") throw unexpected(answer.kind);
      return { kind: "previewed", preview: answer.preview };
    },

    async changeTables({ organizationId, workspace, fileName, maxFileBytes, change }, { signal } = {}) {
      const database = join(workspace, fileName);
      const { answer } = await uploads.perform(
        {
          task: {
            kind: "change_tables",
            id: ++lastId,
            organizationId,
            limits: uploadLimits,
            database,
            maxFileBytes,
            change,
          },
          files: {
            paths: change.kind === "import" ? [change.file.path] : [],
            identity: workspace,
            workspace,
          },
        },
        { signal },
      );
      if (answer.kind === "failed") {
        if (answer.failure.code === "result_too_large") return { kind: "too_large" };
        return toUploadRefusal(answer.failure);
      }
      if (answer.kind === "upload_refused") return { kind: "refused", refusal: answer.refusal };
      if (answer.kind !== "tables_changed") throw unexpected(answer.kind);
      return { kind: "changed", changed: answer.changed };
    },

    isolation,
    async close() {
      await Promise.all([pool.close(), computing.close(), uploads.close()]);
    },
  };

  /** Whoever died, its query must not go on. What cannot be ended ends by the server's own limit. */
  async function endLeftovers({ organizationId, database }: DatabaseRequest, label: string): Promise<void> {
    if (!outlivesClients(database.engine)) return;
    await perform({ kind: "end_leftovers", organizationId, database, label, limits: descriptionLimits });
  }

  async function perform(
    { knownServers, ...request }: TaskRequest & Pick<DatabaseRequest, "knownServers">,
    taskOptions?: TaskOptions,
  ): Promise<PerformedTask> {
    const server = serverOf(request.database);
    if (!server) return performTask(request, taskOptions);
    const attempt = new ServerAttempt(server);
    const performed = await performOnServer(request, { server, attempt }, taskOptions);
    if (!knownServers) return performed;
    const { organizationId } = request;
    const told = await attempt.tell(performed.answer, knownServers, (reason) =>
      onWithheldReason({ organizationId, ...reason }),
    );
    return { ...performed, answer: told };
  }

  async function performOnServer(
    request: TaskRequest,
    { server, attempt }: { server: Server; attempt: ServerAttempt },
    taskOptions?: TaskOptions,
  ): Promise<PerformedTask> {
    const resolved = await resolveHost(server.host);
    if ("refusal" in resolved) {
      const message = `${server.host} cannot be connected to: ${resolved.refusal}`;
      return { answer: failed({ code: "database_unreachable", message }), chunks: [], hostDied: false };
    }
    return performTask(request, taskOptions, () => attempt.openSocket(resolved.addresses));
  }

  async function performTask(
    request: TaskRequest,
    taskOptions: TaskOptions = {},
    openSocket?: HostTask["openSocket"],
  ): Promise<PerformedTask> {
    lastId++;
    // Ending leftovers must not wait for the very queries that it is to end.
    const chosen = request.kind === "end_leftovers" ? computing : pool;
    return chosen.perform(
      {
        task: { label: randomUUID(), ...request, id: lastId, dataFolder },
        files: await findDatabaseFiles(request.database, dataFolder),
        openSocket,
      },
      taskOptions,
    );
  }
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

/** What is the file's own fault. Anything else is thrown. */
function toUploadRefusal(failure: EngineFailure): Refused {
  const message = uploadFailures[failure.code];
  if (message === undefined) throw toRefusal(failure);
  return { kind: "refused", refusal: { reason: "unreadable", message } };
}

const uploadFailures: Partial<Record<EngineFailure["code"], string>> = {
  query_timeout: `Reading the file took longer than ${uploadLimits.timeMs / 1000} seconds. Split it into several files, and append them.`,
  out_of_memory:
    "The file needs more memory to be read than there is. Split it into several files, and append them.",
  engine_crashed:
    "The engine ended while it read the file. Check that the file is whole, and upload it again.",
};

const unexpected = (kind: string) => new Error(`An engine host gave an answer of the wrong kind: ${kind}.`);
