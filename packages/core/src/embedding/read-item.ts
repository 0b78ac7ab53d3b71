import { AppError, type Caller, type Dashboard } from "@querybell/domain";
import type { EmbedGrant, PublishedFilter } from "@querybell/public-pages";
import { applyFilters } from "../dashboards/dashboard-filters.ts";
import {
  getChartToShow,
  getDashboard,
  isVisible,
  prepareChart,
  readCharts,
} from "../dashboards/get-dashboard.ts";
import { refreshDashboard } from "../dashboards/refresh-dashboard.ts";
import type { Deps } from "../deps.ts";
import {
  contentOfChart,
  getChartRow,
  type ItemToPublish,
  type ShownChart,
  toPublishedFilter,
  withRuns,
} from "../public-links/item-to-publish.ts";
import { referenceNotFound } from "../references/get-reference.ts";
import { createOrJoinRun, triggerOf } from "../runs/start-run.ts";

export interface WantedItem extends Pick<EmbedGrant, "item" | "locked" | "open"> {
  /** The visitor's values of open filters. */
  given: Readonly<Record<string, string>>;
  /** Older results are not shown, except those of the runs that were started for this page. */
  since: Date;
  runIds: readonly string[];
}

/** A chart or dashboard of a frame, with its stored results for the values. */
export interface ItemOfFrame {
  item: ItemToPublish;
  /** When the oldest of its results was computed. Undefined if something that could run has none, or nothing can. */
  computedAt: Date | undefined;
  /** Runs its statements, and returns the ids of the runs. */
  start: () => Promise<string[]>;
}

/** Reads what a frame shows, with the rights of the caller. Throws if it does not exist for them, or the values do not fit. */
export const readItemOfFrame = (deps: Deps, caller: Caller, wanted: WantedItem): Promise<ItemOfFrame> =>
  wanted.item.kind === "chart" ? readChart(deps, caller, wanted) : readDashboard(deps, caller, wanted);

async function readChart(deps: Deps, caller: Caller, wanted: WantedItem): Promise<ItemOfFrame> {
  const {
    item: { id: shortId },
    locked,
    open,
    given,
  } = wanted;
  const { prisma } = deps.db;
  const { organizationId } = caller;
  const found = await prisma.queryReference.findFirst({
    where: { organizationId, shortId, deletedAt: null },
    select: { id: true },
  });
  if (!found) throw referenceNotFound();
  const row = await getChartRow(deps, caller, found.id);
  const { referenceId, title, description, queryId, version } = row;
  const content = await contentOfChart(deps, row);
  const filters = applyFilters(content, { ...locked, ...given }, deps.clock);
  const prepared = await prepareChart(deps, caller, { chart: row, filters });
  if (prepared instanceof AppError) throw prepared;
  if (prepared.systemValues) {
    throw new AppError(
      "forbidden",
      "The rows of this chart depend on who looks at it: it cannot be embedded.",
    );
  }
  const chart = await getChartToShow(deps, caller, { referenceId, filters });
  const charts = chart?.state === "shown" ? [withCurrentResult(chart, wanted)] : [];
  return {
    item: await withRuns(deps, {
      ...{ title, description, tabs: content.tabs, charts },
      filters: toFilters(content, { open, given }),
    }),
    computedAt: oldestOf(charts),
    async start() {
      const query = { id: queryId, version };
      const started = await createOrJoinRun(deps, { query, triggerId: triggerOf(caller), ...prepared });
      // The query was changed meanwhile, or a run with these values is being cancelled: the job is tried again.
      if (started?.kind !== "started") throw new AppError("unavailable", "The chart cannot run just now.");
      return [started.run.id];
    },
  };
}

async function readDashboard(deps: Deps, caller: Caller, wanted: WantedItem): Promise<ItemOfFrame> {
  const {
    item: { id },
    locked,
    open,
    given,
  } = wanted;
  const filterValues = { ...locked, ...given };
  const { title, description, content, charts, filterErrors, refresh, isRefreshed } = await getDashboard(
    deps,
    caller,
    { id, filterValues },
  );
  const [error] = filterErrors;
  if (error) throw new AppError("invalid_parameter_value", `${error.path} ${error.message}`);
  const reached = charts
    .filter((chart) => chart.state === "shown")
    .filter((chart) => isReached(chart, locked));
  const hashes = await hashesOfCharts(deps, caller, { charts: reached, content, filterValues });
  const shown = await withSameValues(deps, { charts: reached, hashes });
  const current = shown.map((chart) => withCurrentResult(chart, wanted));
  const isDone = refresh !== null && isRefreshed && !refresh.isUnfinished;
  return {
    item: await withRuns(deps, {
      ...{ title, description, tabs: content.tabs, charts: current },
      filters: toFilters(content, { open, given }),
    }),
    computedAt: isDone ? oldestOf(current.filter(({ referenceId }) => hashes.has(referenceId))) : undefined,
    async start() {
      if (reached.length === 0) return [];
      const { id: refreshId } = await refreshDashboard(deps, caller, { id, filterValues });
      const runs = await deps.db.prisma.queryRun.findMany({ where: { refreshId }, select: { id: true } });
      return runs.map((run) => run.id);
    },
  };
}

/** A chart that a locked value does not filter would show rows of others, so it is left out. */
const isReached = (chart: ShownChart, locked: WantedItem["locked"]): boolean =>
  Object.keys(locked).every((name) => chart.feeds.some(({ filter }) => filter === name));

interface ChartsOfDashboard {
  charts: readonly ShownChart[];
  content: Dashboard["content"];
  filterValues: Record<string, string>;
}

/** By reference: the hash of the values with which a run of the chart would start now. Those that cannot run are missing. */
async function hashesOfCharts(
  deps: Deps,
  caller: Caller,
  { charts, content, filterValues }: ChartsOfDashboard,
): Promise<Map<string, Uint8Array>> {
  const filters = applyFilters(content, filterValues, deps.clock);
  const ids = charts.map(({ referenceId }) => referenceId);
  const hashes = new Map<string, Uint8Array>();
  for (const chart of (await readCharts(deps, caller, ids)).filter(isVisible)) {
    const prepared = await prepareChart(deps, caller, { chart, filters });
    if (prepared instanceof AppError) continue;
    hashes.set(chart.referenceId, prepared.parameterValuesHash);
  }
  return hashes;
}

/**
 * Leaves out results of other values than a run would have now. A dashboard shows the results of its last refresh also when
 * a chart was changed since: one that has got the placeholder of a locked value may have a result without it.
 */
async function withSameValues(
  { db }: Pick<Deps, "db">,
  { charts, hashes }: { charts: readonly ShownChart[]; hashes: ReadonlyMap<string, Uint8Array> },
): Promise<ShownChart[]> {
  const runs = await db.prisma.queryRun.findMany({
    where: { id: { in: charts.flatMap(({ result }) => result?.runId ?? []) } },
    select: { id: true, queryId: true, parameterValuesHash: true },
  });
  return charts.map((chart) => {
    const run = runs.find(({ id }) => id === chart.result?.runId);
    const hash = hashes.get(chart.referenceId);
    const isSame =
      run && hash && run.queryId === chart.queryId && Buffer.from(hash).equals(run.parameterValuesHash);
    return isSame ? chart : withoutResult(chart);
  });
}

/** Leaves out a result of an earlier version of the statement, which may not have filtered as the one of now, or an old one. */
function withCurrentResult(chart: ShownChart, { since, runIds }: WantedItem): ShownChart {
  const { result } = chart;
  if (!result) return chart;
  const isRecent = runIds.includes(result.runId) || new Date(result.completedAt) > since;
  return isRecent && !result.isOutdated ? chart : withoutResult(chart);
}

const withoutResult = (chart: ShownChart): ShownChart => ({ ...chart, result: null, snapshotAt: null });

/** When the oldest of these results was computed. Undefined if one is missing. */
function oldestOf(charts: readonly ShownChart[]): Date | undefined {
  const moments = charts.map(({ result }) => (result ? Date.parse(result.completedAt) : Number.NaN));
  const oldest = Math.min(...moments);
  return Number.isFinite(oldest) ? new Date(oldest) : undefined;
}

/** The open filters, in the order of the dashboard. Of the others, nothing is shown. */
const toFilters = (
  { filters: { definitions, choices } }: Pick<Dashboard["content"], "filters">,
  { open, given }: Pick<WantedItem, "open" | "given">,
): PublishedFilter[] =>
  definitions
    .filter(({ name }) => open.includes(name))
    .map((definition) => {
      const { name, defaultValue = "" } = definition;
      const offered = choices[name];
      return toPublishedFilter(definition, {
        value: given[name] ?? defaultValue,
        // Choices of a query would have to be computed first: visitors type those.
        choices:
          offered?.kind === "list"
            ? offered.items.map(({ value, label = value }) => ({ value, label }))
            : null,
      });
    });
