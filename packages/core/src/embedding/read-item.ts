import {
  AppError,
  type Caller,
  type Choices,
  type Dashboard,
  type DashboardChart,
  type ParameterDefinition,
} from "@querybell/domain";
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
import { type ItemToPublish, wholePage, withRuns } from "../public-links/take-snapshot.ts";
import { readStatementInputs } from "../queries/parameters.ts";
import { referenceNotFound } from "../references/get-reference.ts";
import { createOrJoinRun, triggerOf } from "../runs/start-run.ts";

export interface WantedItem extends Pick<EmbedGrant, "item" | "locked" | "open"> {
  /** The visitor's values of open filters. */
  given: Readonly<Record<string, string>>;
}

/** A chart or dashboard of a frame, with its stored results for the values. */
export interface ItemOfFrame {
  item: ItemToPublish;
  filters: PublishedFilter[];
  /** When the oldest of its results was begun or computed. Undefined if something has no result. */
  computedAt: Date | undefined;
  /** Runs its statements, and returns the ids of the runs. */
  start: () => Promise<string[]>;
}

/** Reads what a frame shows, with the rights of the caller. Throws if it does not exist for them, or the values do not fit. */
export const readItemOfFrame = (deps: Deps, caller: Caller, wanted: WantedItem): Promise<ItemOfFrame> =>
  wanted.item.kind === "chart" ? readChart(deps, caller, wanted) : readDashboard(deps, caller, wanted);

async function readChart(
  deps: Deps,
  caller: Caller,
  { item: { id: shortId }, locked, open, given }: WantedItem,
): Promise<ItemOfFrame> {
  const { prisma } = deps.db;
  const { organizationId } = caller;
  const found = await prisma.queryReference.findFirst({
    where: { organizationId, shortId, deletedAt: null },
    select: { id: true },
  });
  const [row] = found ? await readCharts(deps, caller, [found.id]) : [];
  if (!row || !isVisible(row)) throw referenceNotFound();
  const { referenceId, title, description, queryId, sql, version } = row;
  const inputs = await readStatementInputs(prisma, { queryId, sql, shortId });
  // The same as a dashboard with this chart alone, whose filters are its parameters.
  const tile = { kind: "chart", id: "1", referenceId, shows: "chart", ...wholePage } as const;
  const content = { tabs: [{ id: "1", title, tiles: [tile] }], filters: { ...inputs, matches: [] } };
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
  const result = chart?.state === "shown" ? chart.result : null;
  return {
    item: await withRuns(deps, { title, description, tabs: content.tabs, charts: chart ? [chart] : [] }),
    filters: toFilters(content, { open, given }),
    computedAt: result ? new Date(result.completedAt) : undefined,
    async start() {
      const query = { id: queryId, version };
      const started = await createOrJoinRun(deps, { query, triggerId: triggerOf(caller), ...prepared });
      // The query was changed meanwhile, or a run with these values is being cancelled: the job is tried again.
      if (started?.kind !== "started") throw new AppError("unavailable", "The chart cannot run just now.");
      return [started.run.id];
    },
  };
}

async function readDashboard(
  deps: Deps,
  caller: Caller,
  { item: { id }, locked, open, given }: WantedItem,
): Promise<ItemOfFrame> {
  const filterValues = { ...locked, ...given };
  const { title, description, content, charts, filterErrors, refresh, isRefreshed } = await getDashboard(
    deps,
    caller,
    { id, filterValues },
  );
  const [error] = filterErrors;
  if (error) throw new AppError("invalid_parameter_value", `${error.path} ${error.message}`);
  const shown = charts.filter((chart) => isReached(chart, locked));
  const isDone = refresh !== null && isRefreshed && !refresh.isUnfinished;
  return {
    item: await withRuns(deps, { title, description, tabs: content.tabs, charts: shown }),
    filters: toFilters(content, { open, given }),
    computedAt: isDone ? new Date(refresh.startedAt) : undefined,
    async start() {
      if (!shown.some(({ state }) => state === "shown")) return [];
      const { id: refreshId } = await refreshDashboard(deps, caller, { id, filterValues });
      const runs = await deps.db.prisma.queryRun.findMany({ where: { refreshId }, select: { id: true } });
      return runs.map((run) => run.id);
    },
  };
}

/** A chart that a locked value does not filter would show rows of others, so it is left out. */
const isReached = (chart: DashboardChart, locked: WantedItem["locked"]): boolean =>
  chart.state === "shown" &&
  Object.keys(locked).every((name) => chart.feeds.some(({ filter }) => filter === name));

/** The open filters, in the order of the dashboard. Of the others, nothing is shown. */
const toFilters = (
  { filters: { definitions, choices } }: Pick<Dashboard["content"], "filters">,
  { open, given }: Pick<WantedItem, "open" | "given">,
): PublishedFilter[] =>
  definitions
    .filter(({ name }) => open.includes(name))
    .map((definition) => toFilter(definition, { choices: choices[definition.name], given }));

const inputs = { integer: "number", number: "number", date: "date", boolean: "boolean" } as const;

const toFilter = (
  { name, displayName, description, type, defaultValue = "" }: ParameterDefinition,
  { choices, given }: { choices: Choices | undefined; given: WantedItem["given"] },
): PublishedFilter => ({
  name,
  label: displayName === "" ? name : displayName,
  description,
  input: type in inputs ? inputs[type as keyof typeof inputs] : "text",
  value: given[name] ?? defaultValue,
  // Choices of a query would have to be computed first: visitors type those.
  choices:
    choices?.kind === "list" ? choices.items.map(({ value, label = value }) => ({ value, label })) : null,
});
