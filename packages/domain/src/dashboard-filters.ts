import { z } from "zod";
import { Id } from "./ids.ts";
import { givenInputs, ParameterInputs, ParameterName, type ParameterType } from "./parameters.ts";
import { Text } from "./text.ts";

const maxFilters = 20;
const maxMatches = 500;

/** A filter feeds the placeholder of its name in every chart, unless a match says otherwise for a chart. */
const FilterMatch = z.strictObject({
  filter: ParameterName,
  referenceId: Id,
  placeholder: ParameterName.nullable().describe("Null: the filter does not feed this chart"),
});

/** The filters of a dashboard as they are given: parameters, and which placeholders they feed. */
export const GivenFilters = z
  .strictObject({
    ...givenInputs,
    definitions: givenInputs.definitions.max(maxFilters, `must be at most ${maxFilters}`).default([]),
    matches: z.array(FilterMatch).max(maxMatches, `must be at most ${maxMatches}`).default([]),
  })
  .superRefine(({ definitions, matches }, context) => {
    const names = new Set(definitions.map(({ name }) => name));
    const seen = new Set<string>();
    for (const [at, { filter, referenceId, placeholder }] of matches.entries()) {
      const refuse = (message: string) =>
        context.addIssue({ code: "custom", message, path: ["matches", at] });
      if (!names.has(filter)) refuse(`names the filter ${filter}, which is not defined`);
      const keys = [`filter ${filter} ${referenceId}`, `placeholder ${placeholder} ${referenceId}`];
      for (const key of placeholder === null ? keys.slice(0, 1) : keys) {
        if (seen.has(key)) refuse("must match a filter and a placeholder of a chart only once");
        seen.add(key);
      }
    }
  });

/** The filters of a dashboard as they are stored. */
export const DashboardFilters = ParameterInputs.extend({ matches: z.array(FilterMatch.strip()) });
export type DashboardFilters = z.infer<typeof DashboardFilters>;

export const noFilters = (): DashboardFilters => ({ definitions: [], choices: {}, ranges: [], matches: [] });

/** The values of filters, by name, as the address of the page has them: all are texts. */
export const FilterValues = z
  .record(ParameterName, Text.max(10_000))
  .refine((values) => Object.keys(values).length <= maxFilters, `must be at most ${maxFilters}`);
export type FilterValues = z.infer<typeof FilterValues>;

/** What a click on a bar, a point or a slice does with its category. */
export const TileClick = z.discriminatedUnion("does", [
  z.strictObject({ does: z.literal("filter"), filter: ParameterName }).describe("Sets this filter"),
  z
    .strictObject({ does: z.literal("open"), placeholder: ParameterName })
    .describe("Opens the chart with the category as the value of this placeholder"),
]);

/** What of a dashboard decides which filter feeds which placeholder. */
export interface FilteredContent {
  filters: DashboardFilters;
  tabs: readonly {
    tiles: readonly {
      kind: string;
      referenceId?: string;
      click?: z.infer<typeof TileClick> | undefined;
    }[];
  }[];
}

export interface FilterFeed {
  filter: string;
  placeholder: string;
}

/**
 * Which filters feed which placeholders of a chart. A chart whose click sets a filter is not fed by it, unless it is matched
 * by hand: a click filters the other charts.
 */
export function findFeeds(
  { filters, tabs }: FilteredContent,
  { referenceId, placeholders }: { referenceId: string; placeholders: readonly string[] },
): FilterFeed[] {
  const byHand = filters.matches.filter((match) => match.referenceId === referenceId);
  const taken = new Set(byHand.map(({ placeholder }) => placeholder));
  const setByClick = new Set(
    tabs.flatMap(({ tiles }) =>
      tiles.flatMap((tile) =>
        tile.referenceId === referenceId && tile.click?.does === "filter" ? [tile.click.filter] : [],
      ),
    ),
  );
  return filters.definitions.flatMap(({ name }) => {
    const match = byHand.find(({ filter }) => filter === name);
    const placeholder = match ? match.placeholder : taken.has(name) || setByClick.has(name) ? null : name;
    return placeholder !== null && placeholders.includes(placeholder) ? [{ filter: name, placeholder }] : [];
  });
}

/** Whether the values of a filter of this type can be given to a placeholder of that type. */
export function canFeed(filter: ParameterType, placeholder: ParameterType): boolean {
  if (filter === placeholder || `${filter}[]` === placeholder) return true;
  return (
    (filter === "integer" && (placeholder === "number" || placeholder === "number[]")) ||
    (filter === "integer[]" && placeholder === "number[]") ||
    (filter === "date" && placeholder === "timestamp")
  );
}
