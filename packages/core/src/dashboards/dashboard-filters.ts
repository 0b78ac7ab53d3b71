import { createHash } from "node:crypto";
import {
  AppError,
  type Caller,
  type Clock,
  canFeed,
  type Dashboard,
  type DashboardFilters,
  type FilterFeed,
  type FilterValues,
  findFeeds,
  type InputError,
  type ParameterType,
  type ParameterValue,
  type ParameterValues,
} from "@querybell/domain";
import { isSameJson } from "@querybell/domain/same-json";
import { checkInputs, resolveValues } from "@querybell/statements";
import { findOpenPlaceholders } from "@querybell/statements/tokenizer";
import type { Deps } from "../deps.ts";
import { checkChoiceQueries } from "../queries/parameters.ts";
import { readDefinitions } from "../runs/prepare-run.ts";
import { referencesOf } from "./dashboard-rows.ts";
import { type ChartRow, isVisible, readCharts, type VisibleChart } from "./get-dashboard.ts";

type Content = Dashboard["content"];

/** The values of a dashboard's filters: those that were given, and the defaults of the others. */
export interface AppliedFilters {
  content: Content;
  /** By the name of the filter. A relative date stays one: it is resolved by each chart. */
  values: ParameterValues;
  /** By it, the results of a refresh with these values are found. Empty without values. */
  hash: Buffer;
}

/** Throws `invalid_parameter_value` if a value does not fit its filter, or if there is no such filter. */
export function applyFilters(content: Content, given: FilterValues, clock: Clock): AppliedFilters {
  const { filters } = content;
  const definitions = filters.definitions.map((definition) => {
    const text = Object.hasOwn(given, definition.name) ? given[definition.name] : undefined;
    return text === undefined ? definition : { ...definition, defaultValue: text };
  });
  refuseUnknown(filters, given);
  const filled = definitions.filter(({ defaultValue }) => defaultValue !== undefined);
  const placeholders = filled.map(({ name }) => name);
  const { ranges } = filters;
  const resolved = resolveValues({ placeholders }, { definitions, given: {}, ranges, clock });
  const values: ParameterValues = {};
  for (const { name, type, defaultValue } of filled) {
    const value: ParameterValue | undefined = type.endsWith("[]")
      ? resolved.parameterValues[name]
      : defaultValue;
    if (value !== undefined) values[name] = value;
  }
  const types = filled.map(({ name, type }) => [name, type, values[name]]);
  const hash =
    filled.length === 0
      ? Buffer.alloc(0)
      : createHash("sha256")
          .update(
            JSON.stringify([
              types,
              filters.matches.map(({ filter, referenceId, placeholder }) => [
                filter,
                referenceId,
                placeholder,
              ]),
            ]),
          )
          .digest();
  return { content, values, hash };
}

function refuseUnknown({ definitions }: DashboardFilters, given: FilterValues): void {
  const unknown = Object.keys(given).filter((name) => !definitions.some((one) => one.name === name));
  if (unknown.length === 0) return;
  throw new AppError(
    "invalid_parameter_value",
    `The dashboard has no filter called ${unknown.join(", ")}. Leave it out, or correct its name.`,
    { errors: unknown.map((name) => ({ path: `parameterValues.${name}`, message: "is not a filter" })) },
  );
}

/** The values that filters give to the placeholders of a chart. */
export function valuesFor(
  { content, values }: AppliedFilters,
  chart: { referenceId: string; placeholders: readonly string[] },
): ParameterValues {
  return Object.fromEntries(
    findFeeds(content, chart).flatMap(({ filter, placeholder }) => {
      const value = values[filter];
      return value === undefined ? [] : [[placeholder, value]];
    }),
  );
}

/** A single value for a placeholder that takes a list becomes a list of one. */
export const asListIfWanted = (value: ParameterValue, type: ParameterType): ParameterValue =>
  type.endsWith("[]") && !Array.isArray(value) ? [value] : value;

/** The placeholders of a chart that filters can feed. */
export const placeholdersOf = (chart: Pick<ChartRow, "sql" | "queryId">): string[] =>
  chart.queryId === null ? [] : findOpenPlaceholders(chart.sql);

interface ChangedFilters {
  before: Content | undefined;
  after: Content;
}

/**
 * Throws if the filters of a content do not fit: a default its type, or a type the placeholder that it feeds. What was there
 * before may stay, so that somebody who changes a query does not keep others from arranging a dashboard.
 */
export async function requireFilters(
  deps: Pick<Deps, "db" | "clock">,
  caller: Caller,
  { before, after }: ChangedFilters,
): Promise<void> {
  const { filters } = after;
  if (filters.definitions.length === 0) return;
  if (!isSameJson(filters, before?.filters)) {
    checkInputs(filters, deps.clock);
    await checkChoiceQueries(deps.db.prisma, caller, filters, undefined);
  }
  const charts = (await readCharts(deps, caller, referencesOf(after))).filter(isVisible);
  const known = new Set(before && charts.flatMap((chart) => feedKeys(before, chart)));
  for (const chart of charts) {
    const feeds = findFeeds(after, { ...chart, placeholders: placeholdersOf(chart) });
    const added = feeds.filter((feed) => !known.has(feedKey(after, chart, feed)));
    if (added.length > 0) await requireTypes(deps, { chart, filters, feeds: added });
  }
}

const feedKeys = (content: Content, chart: VisibleChart): string[] =>
  findFeeds(content, { ...chart, placeholders: placeholdersOf(chart) }).map((feed) =>
    feedKey(content, chart, feed),
  );

const feedKey = ({ filters }: Content, { referenceId }: VisibleChart, { filter, placeholder }: FilterFeed) =>
  [referenceId, placeholder, filter, typeOf(filters, filter)].join(" ");

const typeOf = ({ definitions }: DashboardFilters, filter: string): ParameterType =>
  definitions.find(({ name }) => name === filter)?.type ?? "string";

interface FedChart {
  chart: VisibleChart;
  filters: DashboardFilters;
  feeds: readonly FilterFeed[];
}

async function requireTypes({ db }: Pick<Deps, "db">, { chart, filters, feeds }: FedChart): Promise<void> {
  const { queryId, shortId, title, referenceId } = chart;
  const definitions = await readDefinitions(db.prisma, {
    queryId,
    shortId,
    names: feeds.map(({ placeholder }) => placeholder),
  });
  const errors = feeds.flatMap(({ filter, placeholder }): InputError[] => {
    const type = typeOf(filters, filter);
    const wanted = definitions.find(({ name }) => name === placeholder)?.type ?? "string";
    if (canFeed(type, wanted)) return [];
    const message = `${filter} has the type ${type}, and {{${placeholder}}} of “${title}” takes ${wanted}: give the filter the type ${wanted}, or do not match it with this chart`;
    return [{ path: `content.filters.${filter}.${referenceId}`, message }];
  });
  const [first] = errors;
  if (first) throw new AppError("invalid_request", `The filter ${first.message}.`, { errors });
}
