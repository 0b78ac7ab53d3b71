import {
  AppError,
  type Caller,
  type Choices,
  type Dashboard,
  type DashboardChart,
  type DashboardTile,
  type ParameterDefinition,
  type PublicLinkItem,
} from "@querybell/domain";
import { type PublishedFilter, type StoredChoices, toFilterValues } from "@querybell/public-pages";
import { applyFilters } from "../dashboards/dashboard-filters.ts";
import { getDashboardRow, readContent, referencesOf } from "../dashboards/dashboard-rows.ts";
import {
  getChartToShow,
  getDashboard,
  isVisible,
  readCharts,
  type VisibleChart,
} from "../dashboards/get-dashboard.ts";
import type { Deps } from "../deps.ts";
import { readStatementInputs } from "../queries/parameters.ts";
import { referenceNotFound } from "../references/get-reference.ts";

export type ShownChart = Extract<DashboardChart, { state: "shown" }>;

/** What an item shows to everybody, before it is drawn. */
export interface ItemToPublish {
  title: string;
  description: string | null;
  tabs: { id: string; title: string; tiles: DashboardTile[] }[];
  /** By reference. Those that the caller may not see are missing. */
  charts: Map<string, ShownChart>;
  /** By run: those with results that do not depend on who looks at them. */
  runs: Map<string, { rowRightsVersion: number }>;
  /** Those that visitors choose. */
  filters: PublishedFilter[];
}

/** A chart by itself is a page with one tile. */
const wholePage = { x: 0, y: 0, w: 12, h: 10 };

/** What visitors choose, and what this page has of it: an empty text is no value. */
interface PageOfChoices {
  choices: StoredChoices;
  texts: Readonly<Record<string, string>>;
}

const withoutChoices: PageOfChoices = { choices: [], texts: {} };

/**
 * Reads what a public page shows, with the rights of the caller. Throws if the item does not exist for them, or if it does not
 * have these values any more.
 */
export async function readItem(
  deps: Deps,
  caller: Caller,
  { item: { kind, id }, page = withoutChoices }: { item: PublicLinkItem; page?: PageOfChoices },
): Promise<ItemToPublish> {
  const filterValues = toFilterValues(page.texts);
  if (kind === "dashboard") {
    const { title, description, content, charts, filterErrors } = await getDashboard(deps, caller, {
      ...{ id, filterValues },
    });
    requireNoErrors(filterErrors);
    return withRuns(deps, {
      ...{ title, description, tabs: content.tabs, charts },
      filters: toPublishedFilters(content.filters, page),
    });
  }
  const row = await getChartRow(deps, caller, id);
  const content = await contentOfChart(deps, row);
  const filters = applyFilters(content, filterValues, deps.clock);
  const chart = await getChartToShow(deps, caller, { referenceId: id, filters });
  if (chart?.state !== "shown") throw referenceNotFound();
  return withRuns(deps, {
    ...{ title: row.title, description: row.description, tabs: content.tabs, charts: [chart] },
    filters: toPublishedFilters(content.filters, page),
  });
}

const requireNoErrors = ([error]: readonly { path: string; message: string }[]): void => {
  if (error) throw new AppError("invalid_parameter_value", `${error.path} ${error.message}.`);
};

export async function getChartRow(deps: Deps, caller: Caller, referenceId: string): Promise<VisibleChart> {
  const [row] = await readCharts(deps, caller, [referenceId]);
  if (!row || !isVisible(row)) throw referenceNotFound();
  return row;
}

/** A chart by itself is like a dashboard with this chart alone, whose filters are its parameters. */
export async function contentOfChart(
  { db }: Pick<Deps, "db">,
  { referenceId, title, queryId, sql, shortId }: VisibleChart,
): Promise<Dashboard["content"]> {
  const inputs = await readStatementInputs(db.prisma, { queryId, sql, shortId });
  const tile = { kind: "chart", id: "1", referenceId, shows: "chart", ...wholePage } as const;
  return { tabs: [{ id: "1", title, tiles: [tile] }], filters: { ...inputs, matches: [] } };
}

interface FilteredItem {
  title: string;
  content: Dashboard["content"];
  /** Those that the caller sees. */
  charts: VisibleChart[];
}

/** Reads what an item has to filter, and which charts the caller sees. Throws if it does not exist for them. */
export async function readFilteredItem(
  deps: Deps,
  caller: Caller,
  { kind, id }: PublicLinkItem,
): Promise<FilteredItem> {
  if (kind === "reference") {
    const chart = await getChartRow(deps, caller, id);
    return { title: chart.title, content: await contentOfChart(deps, chart), charts: [chart] };
  }
  const { title, content: stored } = await getDashboardRow(deps.db.prisma, caller, id);
  const content = readContent(stored);
  const charts = await readCharts(deps, caller, referencesOf(content));
  return { title, content, charts: charts.filter(isVisible) };
}

/** Adds which results do not depend on who looks at them. */
export async function withRuns(
  { db }: Pick<Deps, "db">,
  { charts, ...item }: Omit<ItemToPublish, "charts" | "runs"> & { charts: DashboardChart[] },
): Promise<ItemToPublish> {
  const shown = charts.filter((chart) => chart.state === "shown");
  const { rows } = await db.pool.query<{ id: string; rowRightsVersion: number }>({
    name: "find_runs_for_everybody",
    text: `
      SELECT id, row_rights_version AS "rowRightsVersion" FROM query_runs
      WHERE id = ANY ($1::uuid[]) AND system_values IS NULL`,
    values: [shown.flatMap(({ result }) => result?.runId ?? [])],
  });
  return {
    ...item,
    charts: new Map(shown.map((chart) => [chart.referenceId, chart])),
    runs: new Map(rows.map(({ id, ...run }) => [id, run])),
  };
}

/** The runs whose results a page of this item shows, by reference. */
export const publishedRuns = ({ charts, runs }: Pick<ItemToPublish, "charts" | "runs">) =>
  [...charts.values()].flatMap(({ referenceId, result }) => {
    const run = result && runs.get(result.runId);
    return run ? [{ referenceId, runId: result.runId, ...run }] : [];
  });

const toPublishedFilters = (
  { definitions, choices: offered }: Dashboard["content"]["filters"],
  { choices, texts }: PageOfChoices,
): PublishedFilter[] =>
  choices.flatMap(({ name, values }) => {
    const definition = definitions.find((one) => one.name === name);
    if (!definition) return [];
    const labels = labelsOf(definition, offered[name]);
    return toPublishedFilter(definition, {
      value: texts[name] ?? "",
      choices: values.map((value) => ({ value, label: labels.get(value) ?? value })),
    });
  });

/** What values are called. No value is called as the default. */
function labelsOf(
  { type, defaultValue }: ParameterDefinition,
  offered: Choices | undefined,
): ReadonlyMap<string, string> {
  const items = offered?.kind === "list" ? offered.items : type === "boolean" ? yesAndNo : [];
  const labels = new Map(items.map(({ value, label = value }) => [value, label]));
  return labels.set("", defaultValue === undefined ? "Default" : (labels.get(defaultValue) ?? defaultValue));
}

const yesAndNo: { value: string; label?: string }[] = [
  { value: "true", label: "Yes" },
  { value: "false", label: "No" },
];

const inputs = { integer: "number", number: "number", date: "date", boolean: "boolean" } as const;

/** A filter as a page shows it. */
export const toPublishedFilter = (
  { name, displayName, description, type }: ParameterDefinition,
  shown: Pick<PublishedFilter, "value" | "choices">,
): PublishedFilter => ({
  name,
  label: displayName === "" ? name : displayName,
  description,
  input: type in inputs ? inputs[type as keyof typeof inputs] : "text",
  ...shown,
});
