import type { ParameterDefinition } from "@querybell/domain";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import { trpc } from "../../api.ts";
import { toParameterValues, type ValueTexts } from "../../parameters/parameter-values.ts";

const route = getRouteApi("/app/q/$shortId");

/**
 * The address of a chart has the values of its parameters under their names, and the moment of a past result as `at`:
 * or as `at.` if a parameter has that name.
 */
export function useMoment(definitions: readonly ParameterDefinition[]) {
  const search = route.useSearch();
  const key = definitions.some(({ name }) => name === "at") ? "at." : "at";
  return useMemo(() => {
    const { [key]: text, ...values } = search;
    const time = text === undefined ? Number.NaN : Date.parse(text);
    return {
      at: Number.isNaN(time) ? undefined : new Date(time).toISOString(),
      values,
      toSearch: (chosen: ValueTexts, at?: string): ValueTexts =>
        at === undefined ? chosen : { ...chosen, [key]: at },
    };
  }, [search, key]);
}

interface WantedPast {
  queryId: string;
  shortId: string;
  definitions: readonly ParameterDefinition[];
  values: ValueTexts;
  /** Undefined: the newest result is shown, and not one of the past. */
  at: string | undefined;
}

/** The newest past result that was complete at a moment. */
export function usePastResult({ queryId, shortId, definitions, values, at }: WantedPast) {
  const before = at === undefined ? undefined : new Date(Date.parse(at) + 1).toISOString();
  const parameterValues = toParameterValues(definitions, values);
  const input = { id: queryId, shortId, parameterValues, limit: 1, ...(before && { before }) };
  const options = trpc.queries.pastResults.queryOptions(input, { enabled: before !== undefined });
  const { data, error, refetch } = useQuery({ ...options, placeholderData: keepPreviousData });
  if (before === undefined) return { item: undefined, isMissing: false, error: undefined, retry: refetch };
  const [item] = data?.items ?? [];
  return { item, isMissing: data !== undefined && !item, error: data ? undefined : error, retry: refetch };
}
