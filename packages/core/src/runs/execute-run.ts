import type { Prisma } from "@querybell/db";
import {
  AppError,
  DatabaseLimits,
  GroupRoles,
  positionAt,
  type RunFailure,
  RunFailureCode,
} from "@querybell/domain";
import type { ChartResult, CompletedRun, EngineFailure, TaskOptions } from "@querybell/engine-hosts";
import type { Database } from "@querybell/engines";
import { Origin, originOf } from "@querybell/statements";
import { inSpan } from "@querybell/tracing";
import { z } from "zod";
import { roleName } from "../access/system-values.ts";
import { explainMissingChart } from "../chart-tables/explain-missing-chart.ts";
import { prepareCharts } from "../chart-tables/prepare-charts.ts";
import { knownServers, openConnection } from "../databases/connections.ts";
import { clampLimits } from "../databases/limits.ts";
import type { Deps } from "../deps.ts";
import {
  hasAttemptsLeft,
  keepLease,
  maxAttempts,
  maxHostDeaths,
  type RunProgress,
  releaseLease,
  renewLease,
  workerLostText,
} from "../leases.ts";
import { type ClaimedQueryRun, getQueryOfRun } from "./claim-query-run.ts";
import { cancelledFailure, completeRun, failRun } from "./end-run.ts";

interface ExecuteOptions {
  /** Aborted when this worker stops. An unfinished run is then released for another worker. */
  signal: AbortSignal;
  onError: (error: unknown) => void;
  /** Called when the outcome is recorded: `completed`, or the code of the failure. For metrics. */
  onEnd?: (outcome: RunEnd) => void;
  /** The queries whose runs wait for this one, because they read the result of its chart. */
  waiting?: readonly string[];
}

type RunEnd = "completed" | RunFailureCode;

const Statement = z.object({
  text: z.string(),
  values: z.array(z.string()),
  origins: z.array(Origin),
});

type RunOutcome = CompletedRun | { kind: "failed"; failure: RunFailure };

/** Executes a claimed run and records its outcome, in the trace in which it was started. */
export const executeRun = (deps: Deps, run: ClaimedQueryRun, options: ExecuteOptions): Promise<void> =>
  inSpan(
    {
      name: "query run",
      kind: "consumer",
      parent: run.traceContext,
      attributes: {
        "querybell.run.id": run.id,
        "querybell.query.id": run.queryId,
        "querybell.organization.id": run.organizationId,
        "querybell.run.lease_number": run.leaseNumber,
      },
    },
    () => executeClaimed(deps, run, options),
  );

async function executeClaimed(deps: Deps, run: ClaimedQueryRun, options: ExecuteOptions): Promise<void> {
  const { signal, onError, onEnd, waiting = [] } = options;
  const failure = findFailureBeforeStart(run);
  const lease = { table: "query_runs", id: run.id, leaseNumber: run.leaseNumber } as const;
  let progress: RunProgress = { rows: 0 };
  const kept = keepLease(deps, { ...lease, progress: () => progress, onError });
  try {
    const outcome = failure
      ? await failWithoutStart(deps, run, failure)
      : await execute(deps, run, {
          signal: AbortSignal.any([kept.signal, signal]),
          onProgress: (rows, engine) => {
            progress = { rows, engine };
          },
          prepareCharts: (text) =>
            prepareCharts(deps, {
              run,
              text,
              waiting: [...waiting, run.queryId],
              execute: (chart) => executeRun(deps, chart, { ...options, waiting: [...waiting, run.queryId] }),
              signal: AbortSignal.any([kept.signal, signal]),
            }),
        });
    await kept.stop();
    // So that the recorded progress agrees with the recorded end.
    if (progress.engine) await renewLease(deps, lease, { progress });
    const isInterrupted = outcome.kind === "failed" && wasInterrupted(outcome.failure, signal, kept.signal);
    if (isInterrupted) return await releaseLease(deps, lease);
    const end = await recordOutcome(deps, run, outcome);
    onEnd?.(end);
  } finally {
    await kept.stop();
  }
}

const recordOutcome = (deps: Deps, run: ClaimedQueryRun, outcome: RunOutcome): Promise<RunEnd> =>
  inSpan({ name: `query run ${outcome.kind}` }, async (span) => {
    if (outcome.kind === "completed") {
      await completeRun(deps, run, outcome);
      return "completed";
    }
    const failure = await explainCancel(deps, run, outcome.failure);
    span?.fail(failure.code);
    await failRun(deps, run, failure);
    return failure.code;
  });

function findFailureBeforeStart(run: ClaimedQueryRun): RunFailure | undefined {
  if (run.isCancelRequested) return cancelledFailure;
  if (run.hostDeaths >= maxHostDeaths) return lostFailure(maxHostDeaths);
  return hasAttemptsLeft(run) ? undefined : lostFailure(maxAttempts);
}

/** A worker that was lost may have left the query of this run on the server. It must not continue there. */
async function failWithoutStart(
  deps: Deps,
  { id, leaseNumber, queryId }: ClaimedQueryRun,
  failure: RunFailure,
): Promise<RunOutcome> {
  if (leaseNumber > 1) {
    const { database, organization, organizationId } = await getQueryOfRun(deps, queryId);
    const connection = openOrFailure(deps, organization, database);
    if (!("code" in connection)) {
      await deps.engines.endAbandonedQueries({ organizationId, database: connection }, labelOf(id));
    }
  }
  return { kind: "failed", failure };
}

/** Aborted by shutdown, not by a user. */
const wasInterrupted = ({ code }: RunFailure, stopping: AbortSignal, cancelled: AbortSignal) =>
  code === "cancelled" && stopping.aborted && !cancelled.aborted;

/** Deleting a database cancels its runs. They fail like runs that had not started. */
async function explainCancel(
  deps: Deps,
  { queryId }: ClaimedQueryRun,
  failure: RunFailure,
): Promise<RunFailure> {
  if (failure.code !== "cancelled") return failure;
  const { database } = await getQueryOfRun(deps, queryId);
  return database.deletedAt ? deletedFailure : failure;
}

const RunValues = z.record(z.string(), z.string()).nullable();

/** The database as the role of the person for whom the run is. Undefined if it needs one and the run has none. */
function withRole(
  database: Database,
  { id, groupRoles }: Pick<Prisma.AnalyticalDatabaseConfigModel, "id" | "groupRoles">,
  systemValues: unknown,
): Database | undefined {
  if (GroupRoles.parse(groupRoles).length === 0) return database;
  const encoded = RunValues.parse(systemValues)?.[roleName(id)];
  if (encoded === undefined || database.engine !== "postgres") return undefined;
  const role = z.string().parse(JSON.parse(encoded));
  return { ...database, configuration: { ...database.configuration, role } };
}

const roleFailure: RunFailure = {
  code: "query_failed",
  message: "Queries on this database run with the role of a group since then. Run the query again.",
};

interface ExecutionOptions extends TaskOptions {
  /** The results of the charts that a statement on uploads reads, or why the run fails. */
  prepareCharts: (text: string) => Promise<ChartResult[] | RunFailure>;
}

async function execute(
  deps: Deps,
  { id, leaseNumber, queryId, queryVersion, statement, systemValues }: ClaimedQueryRun,
  { prepareCharts: prepare, ...options }: ExecutionOptions,
): Promise<RunOutcome> {
  const query = await getQueryOfRun(deps, queryId);
  if (query.database.deletedAt) return { kind: "failed", failure: deletedFailure };
  const limits = clampLimits(deps.deployment, DatabaseLimits.parse(query.database.limits));
  const opened = openOrFailure(deps, query.organization, query.database);
  if ("code" in opened) return { kind: "failed", failure: opened };
  const database = withRole(opened, query.database, systemValues);
  if (!database) return { kind: "failed", failure: roleFailure };
  const { origins, ...compiled } = Statement.parse(statement);
  const { organizationId } = query;
  const charts = query.database.holdsUploads ? await prepare(compiled.text) : [];
  if ("code" in charts) return { kind: "failed", failure: charts };
  const task = {
    organizationId,
    database,
    knownServers: knownServers(deps, query),
    statement: compiled,
    charts,
    limits,
    label: labelOf(id),
    isTakenOver: leaseNumber > 1,
  };
  const { engine } = query.database;
  const spanOptions = {
    name: `engine ${engine}`,
    kind: "client",
    attributes: { "db.system.name": engine },
  } as const;
  const outcome = await inSpan(spanOptions, async (span) => {
    const ended = await deps.engines.run(task, options);
    if (ended.kind === "completed") span?.setAttributes({ "querybell.result.rows": ended.rowCount });
    else span?.fail(ended.failure.code);
    return ended;
  });
  if (outcome.kind === "completed") return outcome;
  // The run does not store the SQL with placeholders. If the query was edited since, its SQL gives no
  // position.
  const sql = query.version === queryVersion ? query.sql : undefined;
  const failure = withPosition(outcome.failure, origins, sql);
  if (!query.database.holdsUploads) return { kind: "failed", failure };
  const found = charts.map(({ name }) => name);
  const failed = { organizationId, text: compiled.text, found, message: failure.message };
  return { kind: "failed", failure: { ...failure, message: await explainMissingChart(deps, failed) } };
}

/** Names the run on the server, the same for every attempt. */
const labelOf = (runId: string): string => `run-${runId}`;

function openOrFailure(...connection: Parameters<typeof openConnection>): Database | RunFailure {
  try {
    return openConnection(...connection);
  } catch (error) {
    return toFailure(error);
  }
}

function withPosition(
  { offset, ...failure }: EngineFailure,
  origins: Origin[],
  sql: string | undefined,
): RunFailure {
  if (offset === undefined || sql === undefined) return failure;
  return { ...failure, position: positionAt(sql, originOf(origins, offset)) };
}

/** Errors that an admin can fix become the run's failure. Other errors are bugs and are thrown. */
function toFailure(error: unknown): RunFailure {
  const { data: code } = RunFailureCode.safeParse(error instanceof AppError ? error.code : undefined);
  if (code === undefined || !(error instanceof AppError)) throw error;
  return { code, message: error.message };
}

const lostFailure = (attempts: number): RunFailure => ({
  code: "worker_lost",
  message: workerLostText(attempts, "Run the query again; if that does not help, make it read less."),
});

const deletedFailure: RunFailure = {
  code: "database_deleted",
  message: "The database was deleted. Choose another database for the query.",
};
