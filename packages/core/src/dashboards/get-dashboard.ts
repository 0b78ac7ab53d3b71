import {
  AppError,
  type Caller,
  type DashboardChart,
  type DashboardDetail,
  type DashboardRefresh,
  type DashboardWithValues,
  type EngineKind,
  findFeeds,
  Visualization,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { findRefreshedResults, findShownResults, type ShownResult } from "../results/get-result.ts";
import { type PreparedRun, parseForRun, prepareRun, readValues } from "../runs/prepare-run.ts";
import {
  type AppliedFilters,
  applyFilters,
  asListIfWanted,
  placeholdersOf,
  valuesFor,
} from "./dashboard-filters.ts";
import {
  type DashboardRow,
  emptyContent,
  getDashboardRow,
  readContent,
  referencesOf,
  toDashboard,
} from "./dashboard-rows.ts";
import { findLastRefresh } from "./refresh-rows.ts";

/**
 * Gets a dashboard with its charts and where their stored results are, for these values of its filters. It runs nothing.
 * Values that do not fit are answered and not refused: the page shows the error beside the field.
 */
export async function getDashboard(
  deps: Deps,
  caller: Caller,
  { id, filterValues = {} }: DashboardWithValues,
): Promise<DashboardDetail> {
  const row = await getDashboardRow(deps.db.prisma, caller, id);
  const content = readContent(row.content);
  const rows = await readCharts(deps, caller, referencesOf(content));
  const head = {
    ...toDashboard(row),
    mayEdit: await mayEditItem(deps, row),
    nextRefreshAt: row.archivedAt === null ? (row.nextRefreshAt?.toISOString() ?? null) : null,
    refreshFailure: row.refreshFailure,
  };
  const filters = tryApply(content, filterValues, deps.clock);
  if (filters instanceof AppError) {
    const missing = "Correct the values of the filters first.";
    const charts = rows.map((chart) => toChart(chart, { ...noState, content, missing }));
    const none = { instants: [], refresh: null, isRefreshed: false, isOutdated: false };
    return { ...head, ...none, filterErrors: [...(filters.errors ?? [])], charts };
  }
  const refresh = await findLastRefresh(deps, id, filters.hash);
  const refreshed = await findRefreshedResults(deps, caller, { dashboardId: id, hash: filters.hash });
  const failures = refresh?.failures ?? {};
  const charts = await withResults(deps, caller, { rows, refreshed, failures, filters });
  return {
    ...head,
    instants: toInstants(charts),
    refresh: refresh?.refresh ?? null,
    isRefreshed: refreshed.size > 0,
    isOutdated: isOutdated(deps, row, refresh?.refresh),
    filterErrors: [],
    charts,
  };
}

function isOutdated(
  { clock }: Pick<Deps, "clock">,
  { refreshOnOpenSeconds }: DashboardRow,
  last: DashboardRefresh | undefined,
): boolean {
  if (refreshOnOpenSeconds === null || last?.isUnfinished) return false;
  const oldest = clock.now().getTime() - refreshOnOpenSeconds * 1000;
  return !last || Date.parse(last.startedAt) < oldest;
}

/** A chart by itself, with its newest stored result for these values or, without them, for the defaults. */
export async function getChartToShow(
  deps: Deps,
  caller: Caller,
  { referenceId, filters }: { referenceId: string; filters?: AppliedFilters },
): Promise<DashboardChart | undefined> {
  const rows = await readCharts(deps, caller, [referenceId]);
  const [chart] = await withResults(deps, caller, {
    ...{ rows, refreshed: new Map(), failures: {} },
    filters: filters ?? applyFilters(emptyContent, {}, deps.clock),
  });
  return chart;
}

function tryApply(...input: Parameters<typeof applyFilters>): AppliedFilters | AppError {
  try {
    return applyFilters(...input);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** By database: the newest snapshot that a chart shows. */
function toInstants(charts: readonly DashboardChart[]): DashboardDetail["instants"] {
  const instants = new Map<string, DashboardDetail["instants"][number]>();
  for (const chart of charts) {
    if (chart.state !== "shown" || chart.snapshotAt === null || !chart.database) continue;
    const { id: databaseId, name } = chart.database;
    const before = instants.get(databaseId);
    if (before && before.at >= chart.snapshotAt) continue;
    instants.set(databaseId, { databaseId, name, at: chart.snapshotAt });
  }
  return [...instants.values()];
}

async function mayEditItem(
  { db }: Pick<Deps, "db">,
  { folderId, createdBy }: { folderId: string | null; createdBy: string },
): Promise<boolean> {
  const { rows } = await db.pool.query<{ mayEdit: boolean }>({
    name: "may_edit_item",
    text: `SELECT may_edit_item($1, $2) AS "mayEdit"`,
    values: [folderId, createdBy],
  });
  return rows[0]?.mayEdit ?? false;
}

/** A reference of a dashboard. Everything but its id and `isDeleted` is null if the caller may not see it. */
export interface ChartRow {
  referenceId: string;
  isDeleted: boolean;
  shortId: string | null;
  title: string;
  description: string | null;
  visualization: unknown;
  queryId: string | null;
  sql: string;
  version: number;
  databaseId: string;
  databaseName: string;
  engine: EngineKind;
  rowPolicies: unknown;
  groupRoles: unknown;
  rowRightsVersion: number;
  isDatabaseDeleted: boolean;
  /** Whether its query reads results of charts, which are of other moments. */
  readsCharts: boolean;
}

/** Reads the references with their queries and databases, in this order, in one statement. */
export async function readCharts(
  { db }: Pick<Deps, "db">,
  { organizationId }: Pick<Caller, "organizationId">,
  ids: readonly string[],
): Promise<ChartRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await db.pool.query<ChartRow>({
    name: "read_charts_of_dashboard",
    // Whether a reference is deleted is read from the table itself: whoever may not see it learns no more than that.
    text: `
      SELECT named.id AS "referenceId", stored.id IS NULL OR stored.deleted_at IS NOT NULL AS "isDeleted",
        r.short_id AS "shortId", r.title, r.description, r.visualization, q.id AS "queryId", q.sql, q.version,
        d.id AS "databaseId", d.name AS "databaseName", d.engine, d.row_policies AS "rowPolicies",
        d.group_roles AS "groupRoles", d.row_rights_version AS "rowRightsVersion",
        d.deleted_at IS NOT NULL AS "isDatabaseDeleted",
        EXISTS (SELECT FROM query_uses u WHERE u.query_id = q.id) AS "readsCharts"
      FROM unnest($2::uuid[]) WITH ORDINALITY AS named(id, place)
        LEFT JOIN public.query_references stored ON stored.id = named.id AND stored.organization_id = $1
        LEFT JOIN query_references r ON r.id = stored.id AND r.deleted_at IS NULL
        LEFT JOIN queries q ON q.id = r.query_id AND q.deleted_at IS NULL
        LEFT JOIN analytical_database_configs d ON d.id = q.analytical_database_config_id
      ORDER BY named.place`,
    values: [organizationId, ids],
  });
  return rows;
}

export type VisibleChart = ChartRow & { shortId: string; queryId: string };

export const isVisible = (chart: ChartRow): chart is VisibleChart =>
  chart.shortId !== null && chart.queryId !== null;

/** The run of a chart with the values of filters and its defaults, or why it cannot run. */
export async function prepareChart(
  deps: Deps,
  caller: Caller,
  { chart, filters }: { chart: VisibleChart; filters: AppliedFilters },
): Promise<PreparedRun | AppError> {
  const { queryId, shortId, sql, databaseId, isDatabaseDeleted } = chart;
  if (isDatabaseDeleted) return new AppError("database_deleted", "The database of this chart was deleted.");
  try {
    const statement = parseForRun(sql, { ...chart, id: databaseId });
    // Most charts have no placeholders: nothing is read for them.
    const values =
      statement.placeholders.length === 0 && statement.databaseWithRoles === undefined
        ? { given: {}, system: {}, definitions: [] }
        : await readValues(deps, statement, { queryId, shortId, given: {}, person: caller });
    const { placeholders } = statement;
    const given = Object.entries(valuesFor(filters, { ...chart, placeholders })).map(([name, value]) => {
      const type = values.definitions.find((one) => one.name === name)?.type ?? "string";
      return [name, asListIfWanted(value, type)] as const;
    });
    return prepareRun(statement, { ...values, given: Object.fromEntries(given) }, deps.clock);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

interface ChartsToShow {
  rows: readonly ChartRow[];
  /** The results of the dashboard's own refreshes, by reference. */
  refreshed: Awaited<ReturnType<typeof findRefreshedResults>>;
  filters: AppliedFilters;
  /** Why charts have no result of the last refresh. */
  failures: Record<string, string>;
}

/** Adds the results: those of the dashboard's own refreshes and, for charts without one, the newest for their values. */
async function withResults(
  deps: Deps,
  caller: Caller,
  { rows: charts, refreshed, filters, failures }: ChartsToShow,
): Promise<DashboardChart[]> {
  const prepared = new Map<string, PreparedRun | AppError>();
  for (const chart of charts.filter(isVisible)) {
    if (refreshed.has(chart.referenceId)) continue;
    prepared.set(chart.referenceId, await prepareChart(deps, caller, { chart, filters }));
  }
  const wanted = charts.flatMap(({ referenceId, queryId }) => {
    const run = prepared.get(referenceId);
    return queryId === null || run === undefined || run instanceof AppError
      ? []
      : [{ referenceId, queryId, parameterValuesHash: run.parameterValuesHash }];
  });
  const found = await findShownResults(deps, caller, wanted);
  const results = new Map(wanted.map(({ referenceId }, at) => [referenceId, found[at]]));
  return charts.map((chart) => {
    const run = prepared.get(chart.referenceId);
    const own = refreshed.get(chart.referenceId);
    return toChart(chart, {
      result: own?.result ?? results.get(chart.referenceId),
      snapshotAt: own?.snapshotAt ?? undefined,
      missing: run instanceof AppError ? run.message : undefined,
      failure: failures[chart.referenceId],
      content: filters.content,
    });
  });
}

interface ChartState {
  result: ShownResult | undefined;
  snapshotAt: Date | undefined;
  missing: string | undefined;
  failure: string | undefined;
  content: DashboardDetail["content"];
}

const noState = { result: undefined, snapshotAt: undefined, failure: undefined };

function toChart(chart: ChartRow, state: ChartState): DashboardChart {
  const { result, snapshotAt, missing, failure, content } = state;
  const { referenceId, isDeleted, shortId, queryId } = chart;
  if (isDeleted) return { state: "deleted", referenceId };
  if (shortId === null) return { state: "hidden", referenceId };
  const placeholders = placeholdersOf(chart);
  const none = queryId === null ? "This chart waits for its query." : "It was not refreshed yet.";
  return {
    state: "shown",
    referenceId,
    shortId,
    title: chart.title,
    description: chart.description,
    visualization: chart.visualization === null ? null : Visualization.parse(chart.visualization),
    queryId,
    database:
      queryId === null ? null : { id: chart.databaseId, name: chart.databaseName, engine: chart.engine },
    result: result ?? null,
    snapshotAt: snapshotAt?.toISOString() ?? null,
    placeholders,
    feeds: findFeeds(content, { referenceId, placeholders }),
    missing: result ? null : (missing ?? none),
    failure: failure ?? null,
  };
}
