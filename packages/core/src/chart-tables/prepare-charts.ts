import { setTimeout as wait } from "node:timers/promises";
import { AppError, isSystemName, type RunFailure } from "@querybell/domain";
import type { ChartResult } from "@querybell/engine-hosts";
import { getDatabaseRow } from "../databases/get-database.ts";
import type { Deps } from "../deps.ts";
import { readStoredBytes } from "../results/read-result.ts";
import { type ClaimedQueryRun, claimRunOfChart } from "../runs/claim-query-run.ts";
import { type PreparedRun, parseForRun, prepareRun, readDefinitionsAndRanges } from "../runs/prepare-run.ts";
import { createOrJoinRun } from "../runs/start-run.ts";
import { type ChartOfName, findChartNames, findCharts } from "./find-charts.ts";

/** A result that is older is refreshed first. */
const freshMs = 15 * 60_000;
const pollMs = 200;
/** What an engine host can read at once. */
const maxJsonBytes = 64 * 1024 ** 2;

interface ReadingRun {
  run: Pick<ClaimedQueryRun, "id" | "organizationId" | "queryId">;
  /** The statement that reads the charts. */
  text: string;
  /** The queries whose runs wait for this one, and its own. */
  waiting: readonly string[];
  /** Executes a run of a chart. */
  execute: (run: ClaimedQueryRun) => Promise<void>;
  signal?: AbortSignal | undefined;
}

/** The results of the charts that a statement reads, refreshed where they are old; or why the run fails. */
export async function prepareCharts(deps: Deps, reading: ReadingRun): Promise<ChartResult[] | RunFailure> {
  const { organizationId, queryId: usedBy } = reading.run;
  const names = findChartNames(reading.text);
  // Most statements read none.
  const charts =
    names.length === 0 ? [] : await findCharts(deps.db.prisma, { organizationId, names, usedBy });
  const results: ChartResult[] = [];
  let jsonBytes = 0;
  for (const chart of charts) {
    const result = await getFreshResult(deps, chart, reading);
    if ("code" in result) return result;
    jsonBytes += result.jsonBytes;
    if (result.cutBy !== null) return cutFailure(chart.name);
    if (jsonBytes > maxJsonBytes) return tooLargeFailure;
    const { runId } = result;
    const read = () => readStoredBytes(deps, { table: "query_results", organizationId, runId });
    results.push({ name: chart.name, cut: false, read });
  }
  return results;
}

interface StoredResultRow {
  runId: string;
  cutBy: string | null;
  jsonBytes: number;
}

async function getFreshResult(
  deps: Deps,
  chart: ChartOfName,
  reading: ReadingRun,
): Promise<StoredResultRow | RunFailure> {
  const { name, queryId } = chart;
  if (reading.waiting.includes(queryId)) return failed(`charts.${name} reads the result of this query.`);
  try {
    const prepared = await prepareChart(deps, reading.run, chart);
    const known = await findResult(deps, chart, prepared);
    if (known) return known;
    const outcome = await refresh(deps, chart, { ...reading, prepared });
    return outcome ?? failed(`charts.${name} was changed while it was refreshed. Run the query again.`);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return failed(`charts.${name} cannot be refreshed. ${error.message}`);
  }
}

/** A chart is run with the defaults of its parameters. */
async function prepareChart(
  { db, clock }: Deps,
  run: Pick<ClaimedQueryRun, "organizationId">,
  { queryId, shortId, sql, databaseId }: ChartOfName,
): Promise<PreparedRun> {
  const statement = parseForRun(sql, await getDatabaseRow(db.prisma, run, databaseId));
  if (statement.databaseWithRoles !== undefined || statement.placeholders.some(isSystemName)) {
    throw new AppError("forbidden", "Its rows depend on who reads them, so they cannot be a table.");
  }
  const { placeholders: names } = statement;
  const defined = await readDefinitionsAndRanges(db.prisma, { queryId, shortId, names });
  return prepareRun(statement, { ...defined, given: {}, system: {} }, clock);
}

async function findResult(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { queryId, version }: ChartOfName,
  { parameterValuesHash }: PreparedRun,
): Promise<StoredResultRow | undefined> {
  const now = clock.now();
  const { rows } = await db.pool.query<StoredResultRow>({
    name: "find_chart_result",
    text: `
      SELECT r.run_id AS "runId", r.cut_by AS "cutBy", r.json_bytes AS "jsonBytes"
      FROM query_results r JOIN query_runs run ON run.id = r.run_id AND run.query_version = $3
      WHERE r.query_id = $1 AND r.parameter_values_hash = $2 AND r.completed_at > $4 AND r.expires_at > $5
      ORDER BY r.completed_at DESC LIMIT 1`,
    values: [queryId, parameterValuesHash, version, new Date(now.getTime() - freshMs), now],
  });
  return rows[0];
}

interface Refresh extends ReadingRun {
  prepared: PreparedRun;
}

/**
 * Runs the query of a chart, or waits for its run. This worker executes the run itself unless another one does: waiting
 * for a free slot could take forever, because all of them may be waiting. Undefined if the query was changed meanwhile.
 */
async function refresh(
  deps: Deps,
  { name, queryId, version }: ChartOfName,
  { run, prepared, execute, signal }: Refresh,
): Promise<StoredResultRow | RunFailure | undefined> {
  const triggerId = await readTrigger(deps, run.id);
  const start = await createOrJoinRun(deps, { query: { id: queryId, version }, triggerId, ...prepared });
  if (start?.kind !== "started") return undefined;
  for (;;) {
    const claimed = await claimRunOfChart(deps, start.run.id, run.id);
    if (claimed) await execute(claimed);
    const { status, failureReason, ...result } = await readEnd(deps, start.run.id);
    if (status === "failed") return failed(`charts.${name} cannot be refreshed. ${failureReason ?? ""}`);
    if (status === "completed") return result.runId === null ? undefined : { ...result, runId: result.runId };
    await wait(pollMs, undefined, { signal }).catch(() => {});
    if (signal?.aborted) return { code: "cancelled", message: "The run was cancelled." };
  }
}

async function readTrigger({ db }: Pick<Deps, "db">, id: string): Promise<string> {
  const { triggerId } = await db.prisma.queryRun.findUniqueOrThrow({
    where: { id },
    select: { triggerId: true },
  });
  return triggerId;
}

interface RunEnd extends Omit<StoredResultRow, "runId"> {
  status: string;
  failureReason: string | null;
  /** Null if there is no result. */
  runId: string | null;
}

async function readEnd({ db }: Pick<Deps, "db">, id: string): Promise<RunEnd> {
  const { rows } = await db.pool.query<RunEnd>({
    name: "read_end_of_chart_run",
    text: `
      SELECT run.status, run.failure_reason AS "failureReason", r.run_id AS "runId", r.cut_by AS "cutBy",
        r.json_bytes AS "jsonBytes"
      FROM query_runs run LEFT JOIN query_results r ON r.run_id = run.id WHERE run.id = $1`,
    values: [id],
  });
  const [row] = rows;
  if (!row) throw new Error(`There is no run ${id}.`);
  return row;
}

const failed = (message: string): RunFailure => ({ code: "query_failed", message });

const cutFailure = (name: string): RunFailure =>
  failed(
    `A limit cut the result of charts.${name}, so rows would be missing. Let its query return fewer rows, or ask an admin for a higher limit of its database.`,
  );

const tooLargeFailure = failed(
  `The charts that the query reads have more than ${maxJsonBytes / 1024 ** 2} MiB together. Let their queries return less.`,
);
