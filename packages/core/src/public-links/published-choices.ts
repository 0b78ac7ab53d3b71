import { addJob, asService, onPool, withRights } from "@querybell/db";
import {
  AppError,
  type Caller,
  type Dashboard,
  type FilterValues,
  type JobPayload,
  maxPublishedCharts,
  type PublicLinkItem,
  type PublishedChoices,
} from "@querybell/domain";
import { lengthOfAddress, textsOfPages, toFilterValues } from "@querybell/public-pages";
import { readRights } from "../access/rights-cache.ts";
import { applyFilters } from "../dashboards/dashboard-filters.ts";
import { getChartToShow, prepareChart, type VisibleChart } from "../dashboards/get-dashboard.ts";
import { refreshDashboard } from "../dashboards/refresh-dashboard.ts";
import type { Deps } from "../deps.ts";
import { createOrJoinRun, triggerOf } from "../runs/start-run.ts";
import { findFollowing } from "./find-following.ts";
import { contentOfChart, getChartRow, readFilteredItem } from "./item-to-publish.ts";
import { toFailure } from "./update-page.ts";

interface ItemWithChoices {
  item: PublicLinkItem;
  choices: PublishedChoices;
}

/**
 * Throws if visitors cannot be given these choices: the item does not have them, a value does not fit, there are too many charts
 * to compute, or the rows of a chart depend on who looks at it. Returns the title of the item.
 */
export async function requireChoices(
  deps: Deps,
  caller: Caller,
  { item, choices }: ItemWithChoices,
): Promise<string> {
  const { title, content, charts } = await readFilteredItem(deps, caller, item);
  const names = new Set(content.filters.definitions.map(({ name }) => name));
  const unknown = choices.find(({ name }) => !names.has(name));
  if (unknown) {
    const what = item.kind === "dashboard" ? "The dashboard has no filter" : "The chart has no parameter";
    throw refuse(`${what} ${unknown.name}: visitors cannot choose it.`);
  }
  const pages = textsOfPages(choices).map(toFilterValues);
  if (pages.length * charts.length > maxPublishedCharts) {
    throw refuse(
      `${pages.length} combinations of values with ${charts.length} charts each are ${pages.length * charts.length} charts, and a public page has at most ${maxPublishedCharts}. Publish fewer values.`,
    );
  }
  if (textsOfPages(choices).some((texts) => lengthOfAddress(texts) > maxAddressLength)) {
    throw refuse(
      "The values are in the address of the page, and these make it too long. Publish shorter ones.",
    );
  }
  for (const values of pages) applyFilters(content, values, deps.clock);
  const [values = {}] = pages;
  const [chart] = charts;
  if (item.kind === "reference" && chart) await prepareForEverybody(deps, caller, { chart, content, values });
  return title;
}

/** Longer ones are cut by browsers, mail programs and proxies. */
const maxAddressLength = 6_000;

const refuse = (message: string) =>
  new AppError("invalid_request", message, { errors: [{ path: "choices", message }] });

/**
 * Runs the queries of every page of a link with choices, with the rights of its owner: those that have not run since. When their
 * results are there, the pages are drawn. An attempt that is repeated starts only what is missing.
 */
export async function refreshPublishedChoices(
  deps: Deps,
  { linkId, since }: JobPayload<"refresh_published_choices">,
): Promise<"started" | "failed" | "not wanted any more"> {
  const link = await asService(() => findFollowing(deps, linkId));
  if (!link || link.choices.length === 0) return "not wanted any more";
  const { item, choices, caller } = link;
  const rights = await readRights(onPool(deps.db), caller);
  let failure: string | undefined;
  for (const values of textsOfPages(choices).map(toFilterValues)) {
    try {
      await withRights(rights, () => refreshItem(deps, caller, { item, values, since: new Date(since) }));
    } catch (error) {
      failure ??= toFailure(error);
    }
  }
  // Some pages may be missing although their results are there: nothing runs for those, so no result brings them up to date.
  await deps.db.transaction((tx) =>
    addJob(tx, ["update_published_page", { linkId }], { queue: publishQueue(caller) }),
  );
  if (failure === undefined) return "started";
  await deps.db.prisma.publicLink.updateMany({ where: { id: linkId }, data: { failure } });
  return "failed";
}

/** The jobs of an organization run one after the other, as in the triggers that add them. */
export const publishQueue = ({ organizationId }: Pick<Caller, "organizationId">): string =>
  `publish ${organizationId}`;

interface ItemToRefresh {
  item: PublicLinkItem;
  values: FilterValues;
  since: Date;
}

async function refreshItem(
  deps: Deps,
  caller: Caller,
  { item, values, since }: ItemToRefresh,
): Promise<void> {
  const { kind, id } = item;
  if (kind === "dashboard") {
    const ageMs = deps.clock.now().getTime() - since.getTime();
    const maxAgeSeconds = Math.max(0, Math.ceil(ageMs / 1000));
    await refreshDashboard(deps, caller, { id, filterValues: values, maxAgeSeconds });
    return;
  }
  const chart = await getChartRow(deps, caller, id);
  const content = await contentOfChart(deps, chart);
  const filters = applyFilters(content, values, deps.clock);
  const shown = await getChartToShow(deps, caller, { referenceId: id, filters });
  const result = shown?.state === "shown" ? shown.result : null;
  if (result && !result.isOutdated && new Date(result.completedAt) >= since) return;
  const prepared = await prepareForEverybody(deps, caller, { chart, content, values });
  const query = { id: chart.queryId, version: chart.version };
  const started = await createOrJoinRun(deps, { query, triggerId: triggerOf(caller), ...prepared });
  // The query was changed meanwhile, or a run with these values is being cancelled: the job is tried again.
  if (started?.kind !== "started") throw new AppError("unavailable", "The chart cannot run just now.");
}

interface ChartToRun {
  chart: VisibleChart;
  content: Dashboard["content"];
  values: FilterValues;
}

/** The run of a chart with these values. Throws if it cannot run, or if its rows depend on who looks at it. */
async function prepareForEverybody(deps: Deps, caller: Caller, { chart, content, values }: ChartToRun) {
  const filters = applyFilters(content, values, deps.clock);
  const prepared = await prepareChart(deps, caller, { chart, filters });
  if (prepared instanceof AppError) {
    throw new AppError("conflict", `The chart cannot run with these values: ${prepared.message}`);
  }
  if (prepared.systemValues) throw dependsOnReader();
  return prepared;
}

export const dependsOnReader = () =>
  new AppError("conflict", "The rows of this chart depend on who looks at it, so it cannot be published.");
