import type { ParameterDefinition } from "@querybell/domain";
import { useQuery } from "@tanstack/react-query";
import { type Failure, toFailure } from "../errors/failure.ts";
import { toParameterValues, type ValueTexts } from "../parameters/parameter-values.ts";
import { cachedResultOptions, MissingResult, type ResultInfo } from "./cached-result.ts";
import type { ResultState } from "./open-result.ts";

export interface FoundResult {
  info: ResultInfo | undefined;
  /** Whether the result has expired. It is shown until there is a new one. */
  isExpired: boolean;
  state: ResultState;
  /** Whether the result is for other values than the defaults, because there is none for the defaults. */
  isOfOtherValues: boolean;
  /** Whether there is none for the values or the defaults. */
  isMissing: boolean;
  /** Whether there was one, so that it may be computed again. */
  isStale: boolean;
  /** Why there is no result; undefined while it is loading. */
  failure: Failure | undefined;
}

interface WantedResult {
  queryId: string;
  /** Whose defaults are used. Absent: those of the query. */
  shortId?: string;
  definitions: readonly ParameterDefinition[];
  values: ValueTexts;
  /** False while the definitions are being read, or if the values cannot be sent. */
  isEnabled?: boolean;
}

const missingCodes = ["result_not_found", "result_expired", "missing_parameter_values"];
const isMissing = (failure: Failure | undefined) => missingCodes.includes(failure?.code ?? "");
const expiredOf = (error: unknown) => (error instanceof MissingResult ? error.expired : undefined);

/**
 * The cached result for these values. Without values: for the defaults or, if there is none, the latest. An expired one is
 * found while it is kept.
 */
export function useResultOfValues(wanted: WantedResult): FoundResult {
  const { queryId: id, shortId, definitions, values, isEnabled = true } = wanted;
  const given = toParameterValues(definitions, values);
  const isPlain = Object.keys(given).length === 0;
  // Without parameters, the latest result is the one: also that of an earlier version, which may have had some.
  const input =
    shortId === undefined && definitions.length === 0
      ? { id }
      : { id, parameterValues: given, ...(shortId !== undefined && { shortId }) };
  const exact = useQuery({ ...cachedResultOptions(input), enabled: isEnabled });
  const failure = exact.error ? toFailure(exact.error) : undefined;
  const takesLatest = isPlain && definitions.length > 0 && isMissing(failure);
  const latest = useQuery({ ...cachedResultOptions({ id }), enabled: isEnabled && takesLatest });
  const none = {
    info: undefined,
    isExpired: false,
    state: "current" as ResultState,
    isOfOtherValues: false,
    isMissing: false,
    isStale: false,
  };
  // What is cached then is of other values.
  if (!isEnabled) return { ...none, failure: undefined };
  if (exact.data) return { ...none, info: exact.data, failure: undefined };
  const missing = { ...none, isMissing: isMissing(failure) };
  const expired = expiredOf(exact.error);
  if (expired) {
    return {
      ...missing,
      info: expired,
      isExpired: true,
      state: "expired",
      isStale: true,
      failure: undefined,
    };
  }
  // Defaults like today-7d have no result on the next day, though they had one before.
  const hadLatest = latest.data !== undefined || toFailureCode(latest.error) === "result_expired";
  const canRun = failure?.code !== "missing_parameter_values";
  const isStale = failure?.code === "result_expired" || (takesLatest && hadLatest && canRun);
  const shown = takesLatest ? (latest.data ?? expiredOf(latest.error)) : undefined;
  if (shown) {
    const isExpired = latest.data === undefined;
    const state = isExpired ? "expired" : "current";
    return { ...missing, info: shown, isExpired, state, isOfOtherValues: true, isStale, failure: undefined };
  }
  const isLooking = exact.isPending || (takesLatest && latest.isPending);
  return { ...missing, isStale: isStale && !isLooking, failure: isLooking ? undefined : failure };
}

const toFailureCode = (error: unknown) => (error ? toFailure(error).code : undefined);
