import {
  AppError,
  type Caller,
  CutBy,
  type FoundResult,
  type GetResult,
  MissingResultReason,
  type ResultInfo,
  type RunId,
  StoredParameterValues,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { getQueryRow, queryNotFound } from "../queries/get-query.ts";
import { getRunRow } from "../runs/get-run.ts";
import { prepareRun, readStatement, readValues } from "../runs/prepare-run.ts";

/** Gets the cached result of a query: for these values or, without values, of its latest completed run. */
export async function getResult(deps: Deps, caller: Caller, input: GetResult): Promise<ResultInfo> {
  return toResultInfo(deps, await getResultRow(deps, caller, input));
}

async function getResultRow(
  deps: Deps,
  caller: Caller,
  { id, shortId, parameterValues: given }: GetResult,
): Promise<ResultRow> {
  const hashes = given && (await hashValues(deps, caller, { id, shortId, given }));
  const { rows } = await deps.db.pool.query<ResultRow>({
    name: "get_result",
    text: `
      SELECT run.id IS NOT NULL AS "hasRun", ${resultColumns}
      FROM queries query
        JOIN organizations organization ON organization.id = query.organization_id
        LEFT JOIN LATERAL (
          SELECT id, parameter_values, query_version FROM query_runs
          WHERE query_id = query.id AND status = 'completed' AND ($3::bytea[] IS NULL OR parameter_values_hash = ANY ($3))
          ORDER BY created_at DESC, id DESC LIMIT 1) AS run ON true
        LEFT JOIN query_results result ON result.run_id = run.id
      WHERE query.id = $1 AND query.organization_id = $2 AND query.deleted_at IS NULL`,
    values: [id, caller.organizationId, hashes ?? null],
  });
  const [row] = rows;
  if (!row) throw queryNotFound();
  if (!row.hasRun) throw noResult("The query has no successful run yet. Run or refresh it first.");
  return row;
}

/** Like `getResult`, for the web app: a missing result is an answer and not an error. */
export async function findResult(deps: Deps, caller: Caller, input: GetResult): Promise<FoundResult> {
  let row: ResultRow | undefined;
  try {
    row = await getResultRow(deps, caller, input);
    return { kind: "found", result: toResultInfo(deps, row) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { data: reason } = MissingResultReason.safeParse(error.code);
    if (!reason) throw error;
    const expired = row && isKept(deps, caller, row) ? toInfo(row) : null;
    return { kind: "missing", reason, message: error.message, expired };
  }
}

/**
 * Whether an expired result may still be shown: to a signed-in member, for as long as the organization keeps it. The job
 * that deletes it may be late.
 */
const isKept = ({ clock }: Pick<Deps, "clock">, { via }: Caller, row: ResultRow): row is StoredRow =>
  via.kind === "session" && hasResult(row) && clock.now() < row.keptUntil;

/**
 * The hashes by which the result for these values is found: that of the caller's runs and, for an admin who sees the
 * organization as somebody else, that of this person's.
 */
export async function hashValues(
  deps: Deps,
  caller: Caller,
  { id, shortId, given }: Pick<GetResult, "id" | "shortId"> & { given: Record<string, unknown> },
): Promise<Buffer[]> {
  const { prisma } = deps.db;
  const statement = await readStatement(prisma, await getQueryRow(prisma, caller, id));
  const { seenBy, ...own } = caller;
  const hashes: Buffer[] = [];
  for (const person of seenBy === undefined ? [own] : [caller, own]) {
    const values = await readValues(deps, statement, { queryId: id, shortId, given, person });
    hashes.push(Buffer.from(prepareRun(statement, values, deps.clock).parameterValuesHash));
  }
  return hashes;
}

interface WantedResult {
  queryId: string;
  parameterValuesHash: Uint8Array;
}

/** A result that a page shows, perhaps although it has expired. */
export type ShownResult = ResultInfo & { isExpired: boolean };

/**
 * Finds the newest results of several queries for their values, in one statement: in the order of what is wanted, undefined
 * where there is none. Also those that have expired, as long as they are kept.
 */
export async function findShownResults(
  deps: Pick<Deps, "db" | "clock">,
  caller: Caller,
  wanted: readonly WantedResult[],
): Promise<(ShownResult | undefined)[]> {
  if (wanted.length === 0) return [];
  const { rows } = await deps.db.pool.query<ResultRow>({
    name: "find_shown_results",
    text: `
      SELECT run.id IS NOT NULL AS "hasRun", ${resultColumns}
      FROM unnest($2::uuid[], $3::bytea[]) WITH ORDINALITY AS wanted(query_id, hash, place)
        JOIN organizations organization ON organization.id = $1
        LEFT JOIN queries query ON query.id = wanted.query_id AND query.organization_id = $1
        LEFT JOIN LATERAL (
          SELECT * FROM query_results newest
          WHERE newest.query_id = query.id AND newest.parameter_values_hash = wanted.hash
          ORDER BY newest.completed_at DESC, newest.run_id DESC LIMIT 1) AS result ON true
        LEFT JOIN query_runs run ON run.id = result.run_id
      ORDER BY wanted.place`,
    values: [
      caller.organizationId,
      wanted.map(({ queryId }) => queryId),
      wanted.map(({ parameterValuesHash }) => Buffer.from(parameterValuesHash)),
    ],
  });
  return rows.map((row) => toShown(deps, caller, row));
}

function toShown(deps: Pick<Deps, "clock">, caller: Caller, row: ResultRow): ShownResult | undefined {
  if (!hasResult(row)) return undefined;
  const isExpired = row.expiresAt <= deps.clock.now();
  return isExpired && !isKept(deps, caller, row) ? undefined : { ...toInfo(row), isExpired };
}

/** A result of a dashboard's refresh, and the moment that it shows, if it has one. */
interface RefreshedResult {
  result: ShownResult;
  snapshotAt: Date | null;
}

/**
 * Finds the results of a dashboard's refreshes with these values of its filters that the caller may see: the newest of each
 * reference, by its id.
 */
export async function findRefreshedResults(
  deps: Pick<Deps, "db" | "clock">,
  caller: Caller,
  { dashboardId, hash }: { dashboardId: string; hash: Buffer },
): Promise<Map<string, RefreshedResult>> {
  const { rows } = await deps.db.pool.query<ResultRow & { referenceId: string; snapshotAt: Date | null }>({
    name: "find_refreshed_results",
    text: `
      SELECT DISTINCT ON (chart.reference_id) chart.reference_id AS "referenceId", run.snapshot_at AS "snapshotAt",
        true AS "hasRun", ${resultColumns}
      FROM query_results result JOIN query_runs run ON run.id = result.run_id
        JOIN queries query ON query.id = run.query_id
        JOIN organizations organization ON organization.id = run.organization_id
        JOIN dashboard_refresh_charts chart ON chart.run_id = run.id
      WHERE result.dashboard_id = $2 AND result.filter_values_hash = $3 AND result.organization_id = $1
      ORDER BY chart.reference_id, run.created_at DESC, run.id DESC`,
    values: [caller.organizationId, dashboardId, hash],
  });
  return new Map(
    rows.flatMap(({ referenceId, snapshotAt, ...row }) => {
      const result = toShown(deps, caller, row);
      return result ? [[referenceId, { result, snapshotAt }] as const] : [];
    }),
  );
}

/** Finds the results of several runs, in one statement. Those that the caller may not see, and missing ones, are left out. */
export async function findResultsOfRuns(
  deps: Pick<Deps, "db" | "clock">,
  caller: Caller,
  { runIds }: { runIds: readonly string[] },
): Promise<ShownResult[]> {
  const { rows } = await deps.db.pool.query<ResultRow>({
    name: "find_results_of_runs",
    text: `
      SELECT true AS "hasRun", ${resultColumns}
      FROM query_runs run JOIN queries query ON query.id = run.query_id
        JOIN organizations organization ON organization.id = run.organization_id
        JOIN query_results result ON result.run_id = run.id
      WHERE run.id = ANY ($2::uuid[]) AND run.organization_id = $1 AND run.trial_by IS NULL
        AND query.automation_run_id IS NULL`,
    values: [caller.organizationId, runIds],
  });
  return rows.flatMap((row) => toShown(deps, caller, row) ?? []);
}

/** Gets the cached result of one run. */
export async function getResultOfRun(deps: Deps, caller: Caller, named: RunId): Promise<ResultInfo> {
  return toResultInfo(deps, await getResultRowOfRun(deps, caller, named));
}

/** Gets the result of one run also if it has expired, while it is kept. Only for signed-in members. */
export async function getExpiredResultOfRun(deps: Deps, caller: Caller, named: RunId): Promise<ResultInfo> {
  const row = await getResultRowOfRun(deps, caller, named);
  return isKept(deps, caller, row) ? toInfo(row) : toResultInfo(deps, row);
}

async function getResultRowOfRun(deps: Deps, caller: Caller, { id }: RunId): Promise<ResultRow> {
  const run = await getRunRow(deps, caller, id);
  if (run.status === "failed") throw noResult(`This run failed: ${run.failureReason}`);
  if (run.status !== "completed") throw noResult("This run has not ended yet. Watch it, or ask again.");
  const { rows } = await deps.db.pool.query<ResultRow>({
    name: "get_result_of_run",
    text: `
      SELECT true AS "hasRun", ${resultColumns}
      FROM query_runs run JOIN queries query ON query.id = run.query_id
        JOIN organizations organization ON organization.id = run.organization_id
        LEFT JOIN query_results result ON result.run_id = run.id
      WHERE run.id = $1 AND query.automation_run_id IS NULL`,
    values: [id],
  });
  const [row] = rows;
  if (!row) throw noResult("A model wrote the SQL of this run. Its rows are in the chat of the automation.");
  return row;
}

const noResult = (sentence: string) => new AppError("result_not_found", sentence);

interface ResultRow {
  hasRun: boolean;
  /** Null without a stored result. */
  runId: string | null;
  queryId: string;
  rowCount: number;
  bytes: number;
  cutBy: string | null;
  etag: string;
  completedAt: Date;
  expiresAt: Date;
  keptUntil: Date;
  parameterValues: unknown;
  isOutdated: boolean;
}

const resultColumns = `result.run_id AS "runId", query.id AS "queryId", result.row_count AS "rowCount",
  result.json_bytes AS bytes, result.cut_by AS "cutBy", result.etag, result.completed_at AS "completedAt",
  result.expires_at AS "expiresAt",
  result.expires_at + make_interval(days => organization.expired_result_days) AS "keptUntil",
  run.parameter_values AS "parameterValues",
  run.query_version <> query.version AS "isOutdated"`;

function toResultInfo({ clock }: Pick<Deps, "clock">, row: ResultRow): ResultInfo {
  if (!hasResult(row) || row.expiresAt <= clock.now()) {
    throw new AppError(
      "result_expired",
      "The cached result has expired. Refresh the query to get a new one.",
    );
  }
  return toInfo(row);
}

type StoredRow = ResultRow & { runId: string };

const hasResult = (row: ResultRow): row is StoredRow => row.runId !== null;

const toInfo = (row: StoredRow): ResultInfo => ({
  runId: row.runId,
  queryId: row.queryId,
  rowCount: row.rowCount,
  bytes: row.bytes,
  cutBy: CutBy.nullable().parse(row.cutBy),
  etag: row.etag,
  completedAt: row.completedAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
  parameterValues: StoredParameterValues.parse(row.parameterValues),
  isOutdated: row.isOutdated,
});
