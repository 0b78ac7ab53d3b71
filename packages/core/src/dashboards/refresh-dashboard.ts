import type { Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type DashboardRefresh,
  type DashboardRefreshId,
  isAtLeast,
  newId,
  type RefreshDashboard,
} from "@querybell/domain";
import { engineOf } from "@querybell/engines";
import { noteRowRights } from "../access/row-rights.ts";
import type { Deps } from "../deps.ts";
import { requestCancel } from "../runs/cancel-run.ts";
import type { PreparedRun } from "../runs/prepare-run.ts";
import { triggerOfRefresh } from "../runs/start-run.ts";
import { type AppliedFilters, applyFilters } from "./dashboard-filters.ts";
import { getDashboardRow, lockDashboard, readContent, referencesOf } from "./dashboard-rows.ts";
import { isVisible, prepareChart, readCharts, type VisibleChart } from "./get-dashboard.ts";
import { type RefreshRow, refreshColumns, toRefresh } from "./refresh-rows.ts";

/** A run to start, for one or several charts. */
interface PlannedRun {
  id: string;
  chart: VisibleChart;
  prepared: PreparedRun;
  referenceIds: string[];
}

/**
 * Runs the queries of all charts that the caller sees, with the values of filters and their defaults. Those on one database
 * see it as it is at one moment, and their results are stored together. Joins the refresh of the caller with these values
 * that is not finished yet, and no other run: that would show another moment.
 */
export async function refreshDashboard(
  deps: Deps,
  caller: Caller,
  input: RefreshDashboard,
): Promise<DashboardRefresh> {
  const refresh = await startRefresh(deps, caller, input);
  if (!refresh) throw new Error("Only a refresh by schedule can be unwanted.");
  return refresh;
}

/** The time of a schedule for which a refresh is started. The transaction that starts it sets the next one. */
interface ScheduledTime {
  dueAt: Date;
  nextAt: Date | null;
}

/** Undefined if another worker has refreshed the dashboard for its scheduled time, or its schedule was changed. */
export async function startRefresh(
  deps: Deps,
  caller: Caller,
  { id, filterValues = {}, maxAgeSeconds, scheduled }: RefreshDashboard & { scheduled?: ScheduledTime },
): Promise<DashboardRefresh | undefined> {
  for (;;) {
    const content = readContent((await getDashboardRow(deps.db.prisma, caller, id)).content);
    const filters = applyFilters(content, filterValues, deps.clock);
    const charts = await readCharts(deps, caller, referencesOf(content));
    const planned = await planRuns(deps, caller, { charts: charts.filter(isVisible), filters });
    if (planned.some(({ prepared }) => prepared.systemValues)) await noteRowRights(deps, caller);
    const refresh = await deps.db.transaction((tx) =>
      insertRefresh({ ...deps, tx }, caller, {
        ...{ id, planned, hash: filters.hash, scheduled },
        since: maxAgeSeconds === undefined ? undefined : secondsAgo(deps, maxAgeSeconds),
      }),
    );
    if (refresh === "not due") return undefined;
    if (refresh !== "changed") return toRefresh(refresh);
    // A query was edited or deleted after it was read. Nothing was locked until then, so read it again.
  }
}

const secondsAgo = ({ clock }: Pick<Deps, "clock">, seconds: number): Date =>
  new Date(clock.now().getTime() - seconds * 1000);

/** One run for each query and set of values. Charts that cannot run, for example for want of a value, are left out. */
async function planRuns(
  deps: Deps,
  caller: Caller,
  { charts, filters }: { charts: readonly VisibleChart[]; filters: AppliedFilters },
): Promise<PlannedRun[]> {
  const planned = new Map<string, PlannedRun>();
  let refusal: AppError | undefined;
  for (const chart of charts) {
    const prepared = await prepareChart(deps, caller, { chart, filters });
    if (prepared instanceof AppError) {
      refusal ??= prepared;
      continue;
    }
    const key = `${chart.queryId} ${Buffer.from(prepared.parameterValuesHash).toString("hex")}`;
    const same = planned.get(key);
    if (same) same.referenceIds.push(chart.referenceId);
    else planned.set(key, { id: newId(deps.clock), chart, prepared, referenceIds: [chart.referenceId] });
  }
  if (planned.size > 0) return [...planned.values()];
  throw new AppError(
    "conflict",
    refusal
      ? `No chart of this dashboard can run. The first says: ${refusal.message}`
      : "There is no chart on this dashboard that you may run. Add one first.",
  );
}

interface NewRefresh {
  id: string;
  planned: readonly PlannedRun[];
  /** Of the values of filters. */
  hash: Buffer;
  /** A refresh of these charts that somebody has started since is taken instead. */
  since: Date | undefined;
  scheduled: ScheduledTime | undefined;
}

/** Changed: a query is deleted or has another version by now. */
async function insertRefresh(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  caller: Caller,
  { id: dashboardId, planned, hash, since, scheduled }: NewRefresh,
): Promise<RefreshRow | "changed" | "not due"> {
  // Every transaction locks queries before dashboards, and each in the order of their ids.
  const queries = await tx.$queryRaw<{ id: string; version: number }[]>`
    SELECT id, version FROM queries
    WHERE id = ANY(${planned.map(({ chart }) => chart.queryId)}::uuid[]) AND deleted_at IS NULL
    ORDER BY id FOR NO KEY UPDATE`;
  const versions = new Map(queries.map(({ id, version }) => [id, version]));
  if (planned.some(({ chart }) => versions.get(chart.queryId) !== chart.version)) return "changed";
  const { nextRefreshAt } = await lockDashboard(tx, caller, dashboardId);
  if (scheduled && nextRefreshAt?.getTime() !== scheduled.dueAt.getTime()) return "not due";
  const startedBy = caller.seenBy ?? caller.userId;
  const refreshId = newId(clock);
  const joined =
    (await findUnfinished(tx, { dashboardId, hash, startedBy })) ??
    (since && (await findRecent(tx, { dashboardId, hash, startedBy, planned, since })));
  if (scheduled) await setNextTime(tx, { dashboardId, scheduled, refreshId: joined?.id ?? refreshId });
  if (joined) return joined;
  const { organizationId } = caller;
  const now = clock.now();
  const row = { id: refreshId, dashboardId, createdBy: startedBy, createdAt: now, runsTotal: planned.length };
  const filterValuesHash = new Uint8Array(hash);
  await tx.dashboardRefresh.create({ data: { ...row, organizationId, filterValuesHash } });
  const leaders = new Map<string, string>();
  await tx.queryRun.createMany({
    data: planned.map(({ id, chart, prepared: { compiled, systemValues, ...values } }) => {
      const { renderedSql, ...statement } = compiled;
      const hasSnapshot = engineOf(chart.engine).hasSnapshots && !chart.readsCharts;
      const leaderId = hasSnapshot ? (leaders.get(chart.databaseId) ?? null) : null;
      if (hasSnapshot && leaderId === null) leaders.set(chart.databaseId, id);
      return {
        ...{ id, organizationId, queryId: chart.queryId, queryVersion: chart.version, refreshId, leaderId },
        ...{ triggerId: triggerOfRefresh(refreshId), ...values, renderedSql, statement, createdAt: now },
        ...(systemValues && { systemValues }),
      };
    }),
  });
  await tx.dashboardRefreshChart.createMany({
    data: planned.flatMap(({ id: runId, referenceIds }) =>
      referenceIds.map((referenceId) => ({ refreshId, referenceId, organizationId, runId })),
    ),
  });
  // The table itself: whoever sees a dashboard may refresh it.
  await tx.$executeRaw`UPDATE public.dashboards SET last_run_at = ${now} WHERE id = ${dashboardId}::uuid`;
  return { ...row, runsDone: 0, isUnfinished: true };
}

/** How many of the last refreshes are looked at. */
const maxRecent = 20;

async function findUnfinished(
  tx: Tx,
  { dashboardId, hash, startedBy }: { dashboardId: string; hash: Buffer; startedBy: string },
): Promise<RefreshRow | undefined> {
  const rows = await tx.$queryRawUnsafe<RefreshRow[]>(
    `SELECT ${refreshColumns} FROM (
       SELECT * FROM public.dashboard_refreshes WHERE dashboard_id = $1::uuid AND filter_values_hash = $3
       ORDER BY created_at DESC, id DESC LIMIT ${maxRecent}) AS f
     WHERE f.created_by = $2::uuid ORDER BY f.created_at DESC`,
    dashboardId,
    startedBy,
    hash,
  );
  return rows.find(({ isUnfinished }) => isUnfinished);
}

interface WantedRefresh {
  dashboardId: string;
  hash: Buffer;
  startedBy: string;
  planned: readonly PlannedRun[];
  since: Date;
}

/**
 * The newest refresh of all these charts, as they are now, that is unfinished or was started since. If rows depend on the
 * reader, only one of this person: the results of others are not theirs.
 */
async function findRecent(
  tx: Tx,
  { dashboardId, hash, startedBy, planned, since }: WantedRefresh,
): Promise<RefreshRow | undefined> {
  const charts = planned.flatMap(({ chart, referenceIds }) =>
    referenceIds.map((id) => ({ id, version: chart.version })),
  );
  const isPersonal = planned.some(({ prepared }) => prepared.systemValues);
  const rows = await tx.$queryRawUnsafe<RefreshRow[]>(
    `SELECT ${refreshColumns} FROM (
       SELECT * FROM public.dashboard_refreshes WHERE dashboard_id = $1::uuid AND filter_values_hash = $2
       ORDER BY created_at DESC, id DESC LIMIT ${maxRecent}) AS f
     WHERE ($3::uuid IS NULL OR f.created_by = $3::uuid) AND NOT EXISTS (
       SELECT FROM unnest($4::uuid[], $5::int[]) AS wanted(id, version) WHERE NOT EXISTS (
         SELECT FROM public.dashboard_refresh_charts c JOIN public.query_runs r ON r.id = c.run_id
         WHERE c.refresh_id = f.id AND c.reference_id = wanted.id AND r.query_version = wanted.version))
     ORDER BY f.created_at DESC, f.id DESC`,
    dashboardId,
    hash,
    isPersonal ? startedBy : null,
    charts.map(({ id }) => id),
    charts.map(({ version }) => version),
  );
  return rows.find(({ isUnfinished, createdAt }) => isUnfinished || createdAt >= since);
}

/** The table itself: a schedule needs no right to change the dashboard. */
async function setNextTime(
  tx: Tx,
  { dashboardId, scheduled, refreshId }: { dashboardId: string; scheduled: ScheduledTime; refreshId: string },
): Promise<void> {
  await tx.$executeRaw`
    UPDATE public.dashboards SET next_refresh_at = ${scheduled.nextAt}, scheduled_refresh_id = ${refreshId}::uuid
    WHERE id = ${dashboardId}::uuid`;
}

/** Gets a refresh, to follow its progress. */
export async function getRefresh(
  deps: Pick<Deps, "db">,
  caller: Pick<Caller, "organizationId">,
  { id }: DashboardRefreshId,
): Promise<DashboardRefresh> {
  return toRefresh(await getRefreshRow(deps, caller, id));
}

async function getRefreshRow(
  { db }: Pick<Deps, "db">,
  { organizationId }: Pick<Caller, "organizationId">,
  id: string,
): Promise<RefreshRow> {
  const { rows } = await db.pool.query<RefreshRow>({
    name: "get_refresh",
    text: `SELECT ${refreshColumns} FROM dashboard_refreshes f WHERE f.id = $1 AND f.organization_id = $2`,
    values: [id, organizationId],
  });
  const [row] = rows;
  if (!row) throw new AppError("not_found", "There is no such refresh in this organization.");
  return row;
}

/** Cancels the runs of a refresh that have not ended. The results of the one before stay. A viewer cancels only their own. */
export async function cancelRefresh(
  deps: Deps,
  caller: Caller,
  { id }: DashboardRefreshId,
): Promise<DashboardRefresh> {
  const { createdBy } = await getRefreshRow(deps, caller, id);
  if (createdBy !== caller.userId && !isAtLeast(caller.role, "member")) {
    throw new AppError("not_found", "You have started no such refresh. Ask a member to cancel it.");
  }
  await deps.db.transaction(async (tx) => {
    // In the order of their ids, as when they end.
    const runs = await tx.$queryRaw<{ id: string }[]>`
      SELECT id FROM public.query_runs WHERE refresh_id = ${id}::uuid AND status IN ('pending', 'running')
      ORDER BY id FOR NO KEY UPDATE`;
    await requestCancel(
      { ...deps, tx },
      runs.map((run) => run.id),
    );
  });
  return getRefresh(deps, caller, { id });
}
