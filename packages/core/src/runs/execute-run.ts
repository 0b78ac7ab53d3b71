import { DatabaseLimits, type EngineKind, type RunFailure } from "@querybell/domain";
import type { ChartResult, CompletedRun, TaskOptions } from "@querybell/engine-hosts";
import { engineOf } from "@querybell/engines";
import { inSpan } from "@querybell/tracing";
import { explainMissingChart, explainOtherDatabase } from "../chart-tables/explain-missing-chart.ts";
import { prepareCharts } from "../chart-tables/prepare-charts.ts";
import { knownServers } from "../databases/connections.ts";
import { clampLimits } from "../databases/limits.ts";
import type { Deps } from "../deps.ts";
import { keepLease, type RunProgress, releaseLease, renewLease } from "../leases.ts";
import { whenAvailable } from "../when-available.ts";
import { type ClaimedQueryRun, getQueryOfRun } from "./claim-query-run.ts";
import { completeRun, failRun } from "./end-run.ts";
import { executeTogether } from "./execute-together.ts";
import {
  deletedFailure,
  type ExecuteOptions,
  explainCancel,
  findFailureBeforeStart,
  labelOf,
  openOrFailure,
  type RunEnd,
  readStatementOfRun,
  roleFailure,
  wasInterrupted,
  withPosition,
  withRole,
} from "./execution-parts.ts";

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
  if (await seesSnapshot(deps, run)) return executeTogether(deps, run, options);
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
    const isInterrupted = outcome.kind === "failed" && wasInterrupted(outcome.failure, signal, kept.signal);
    if (isInterrupted) return await releaseLease(deps, lease);
    // What was computed is not lost while the database is away for a moment. Nothing is written without the lease.
    const end = await whenAvailable(async () => {
      // So that the recorded progress agrees with the recorded end.
      if (progress.engine) await renewLease(deps, lease, { progress });
      return recordOutcome(deps, run, outcome);
    });
    onEnd?.(end);
  } finally {
    await kept.stop();
  }
}

/** Whether it is executed with those that it leads. What a statement reads of charts is of other moments. */
async function seesSnapshot(
  { db }: Pick<Deps, "db">,
  { refreshId, queryId }: ClaimedQueryRun,
): Promise<boolean> {
  if (refreshId === null) return false;
  const { rows } = await db.pool.query<{ engine: EngineKind; readsCharts: boolean }>({
    name: "find_engine_of_run",
    text: `
      SELECT d.engine, EXISTS (SELECT FROM query_uses u WHERE u.query_id = q.id) AS "readsCharts"
      FROM queries q JOIN analytical_database_configs d ON d.id = q.analytical_database_config_id WHERE q.id = $1`,
    values: [queryId],
  });
  const [row] = rows;
  return row !== undefined && engineOf(row.engine).hasSnapshots && !row.readsCharts;
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

interface ExecutionOptions extends TaskOptions {
  /** The results of the charts that a statement on uploads reads, or why the run fails. */
  prepareCharts: (text: string) => Promise<ChartResult[] | RunFailure>;
}

async function execute(
  deps: Deps,
  { id, leaseNumber, queryId, queryVersion, statement, systemValues, ...run }: ClaimedQueryRun,
  { prepareCharts: prepare, ...options }: ExecutionOptions,
): Promise<RunOutcome> {
  const query = run.query ?? (await getQueryOfRun(deps, queryId));
  if (query.database.isDeleted) return { kind: "failed", failure: deletedFailure };
  const limits = clampLimits(deps.deployment, DatabaseLimits.parse(query.database.limits));
  const opened = openOrFailure(deps, query.organization, query.database);
  if ("code" in opened) return { kind: "failed", failure: opened };
  const database = withRole(opened, query.database, systemValues);
  if (!database) return { kind: "failed", failure: roleFailure };
  const { origins, ...compiled } = readStatementOfRun({ statement });
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
  const failed = {
    organizationId,
    text: compiled.text,
    found: charts.map(({ name }) => name),
    message: failure.message,
  };
  if (!query.database.holdsUploads) {
    return { kind: "failed", failure: { ...failure, message: explainOtherDatabase(failed) } };
  }
  return { kind: "failed", failure: { ...failure, message: await explainMissingChart(deps, failed) } };
}
