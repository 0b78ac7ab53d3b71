import type { Outputs } from "@querybell/client";
import { useQuery } from "@tanstack/react-query";
import type { Reference } from "../../charts/visualization.ts";
import { type Failure, toFailure } from "../../errors/failure.ts";
import { toParameterValues, type ValueTexts } from "../../parameters/parameter-values.ts";
import { cachedResultOptions } from "../../results/cached-result.ts";

type ResultInfo = Outputs["queries"]["result"];

interface PermalinkResult {
  info: ResultInfo | undefined;
  /** Whether the result is for other values than the defaults, because there is none for the defaults. */
  isOfOtherValues: boolean;
  /** Whether there is none for the values in the address or the defaults. */
  isMissing: boolean;
  /** Why there is no result; undefined while it is loading. */
  failure: Failure | undefined;
}

const isMissing = (failure: Failure | undefined) =>
  failure?.code === "result_not_found" ||
  failure?.code === "result_expired" ||
  failure?.code === "missing_parameter_values";

/**
 * The cached result for the values in the address. Without values: for the defaults or, if there is none, the latest.
 * Never runs the query.
 */
export function usePermalinkResult(
  reference: Reference,
  queryId: string,
  values: ValueTexts,
): PermalinkResult {
  const { shortId, parameters } = reference;
  const given = toParameterValues(parameters, values);
  const isPlain = Object.keys(given).length === 0;
  const exact = useQuery(cachedResultOptions({ id: queryId, shortId, parameterValues: given }));
  const failure = exact.error ? toFailure(exact.error) : undefined;
  const takesLatest = isPlain && parameters.length > 0 && isMissing(failure);
  const latest = useQuery({ ...cachedResultOptions({ id: queryId }), enabled: takesLatest });
  if (exact.data) return { info: exact.data, isOfOtherValues: false, isMissing: false, failure: undefined };
  if (takesLatest && latest.data)
    return { info: latest.data, isOfOtherValues: true, isMissing: true, failure: undefined };
  const isLooking = exact.isPending || (takesLatest && latest.isPending);
  return {
    info: undefined,
    isOfOtherValues: false,
    isMissing: isMissing(failure),
    failure: isLooking ? undefined : failure,
  };
}
