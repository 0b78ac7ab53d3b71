import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { api, trpc } from "../../api.ts";
import type { Reference } from "../../charts/visualization.ts";
import { type Failure, toFailure } from "../../errors/failure.ts";
import { errorsByParameter, toParameterValues, type ValueTexts } from "../../parameters/parameter-values.ts";
import { cachedResultOptions, MissingResult, type ResultInfo } from "../../results/cached-result.ts";
import { useAwaitedRun, useRun } from "../../runs/use-run.ts";

export interface PermalinkResult {
  info: ResultInfo | undefined;
  /** Whether the result has expired. It is shown until there is a new one. */
  isExpired: boolean;
  /** Whether the result is for other values than the defaults, because there is none for the defaults. */
  isOfOtherValues: boolean;
  /** Whether there is none for the values in the address or the defaults. */
  isMissing: boolean;
  /** Whether there was one, so that opening the page runs the query again. */
  isStale: boolean;
  /** Why there is no result; undefined while it is loading. */
  failure: Failure | undefined;
}

const missingCodes = ["result_not_found", "result_expired", "missing_parameter_values"];
const isMissing = (failure: Failure | undefined) => missingCodes.includes(failure?.code ?? "");
const expiredOf = (error: unknown) => (error instanceof MissingResult ? error.expired : undefined);

/**
 * The result for the values in the address. Without values: for the defaults or, if there is none, the latest. An expired
 * one is found while it is kept.
 */
export function usePermalinkResult(
  reference: Reference,
  queryId: string,
  values: ValueTexts,
): PermalinkResult {
  const { shortId, inputs } = reference;
  const given = toParameterValues(inputs.definitions, values);
  const isPlain = Object.keys(given).length === 0;
  const exact = useQuery(cachedResultOptions({ id: queryId, shortId, parameterValues: given }));
  const failure = exact.error ? toFailure(exact.error) : undefined;
  const takesLatest = isPlain && inputs.definitions.length > 0 && isMissing(failure);
  const latest = useQuery({ ...cachedResultOptions({ id: queryId }), enabled: takesLatest });
  const none = {
    info: undefined,
    isExpired: false,
    isOfOtherValues: false,
    isMissing: false,
    isStale: false,
  };
  if (exact.data) return { ...none, info: exact.data, failure: undefined };
  const missing = { ...none, isMissing: isMissing(failure) };
  const expired = expiredOf(exact.error);
  if (expired) return { ...missing, info: expired, isExpired: true, isStale: true, failure: undefined };
  // Defaults like today-7d have no result on the next day, though they had one before.
  const hadLatest = latest.data !== undefined || toFailureCode(latest.error) === "result_expired";
  const canRun = failure?.code !== "missing_parameter_values";
  const isStale = failure?.code === "result_expired" || (takesLatest && hadLatest && canRun);
  const shown = takesLatest ? (latest.data ?? expiredOf(latest.error)) : undefined;
  if (shown) {
    const isExpired = latest.data === undefined;
    return { ...missing, info: shown, isExpired, isOfOtherValues: true, isStale, failure: undefined };
  }
  const isLooking = exact.isPending || (takesLatest && latest.isPending);
  return { ...missing, isStale: isStale && !isLooking, failure: isLooking ? undefined : failure };
}

const toFailureCode = (error: unknown) => (error ? toFailure(error).code : undefined);

interface PermalinkRun {
  reference: Reference;
  queryId: string;
  values: ValueTexts;
  found: PermalinkResult;
}

/**
 * Runs the query of a permalink on request, and when the page is opened and its result has expired. Watches the run.
 * Without a result, also watches a run in progress.
 */
export function usePermalinkRun({ reference, queryId, values, found }: PermalinkRun) {
  const { shortId, inputs } = reference;
  const { definitions } = inputs;
  const watched = useRun(useAwaitedRun(queryId, found.isMissing));
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [startedId, setStartedId] = useState<string>();
  const run = async (chosen: ValueTexts) => {
    setErrors({});
    try {
      const parameterValues = toParameterValues(definitions, chosen);
      const { id } = await api.queries.run.mutate({ id: queryId, shortId, parameterValues });
      setStartedId(id);
      watched.watch(id);
    } catch (refused) {
      const { fields, message } = toFailure(refused);
      setErrors(errorsByParameter(fields, definitions));
      if (Object.keys(fields).length === 0) notifications.show({ color: "red", title: "Not run", message });
    }
  };

  // Values for which somebody has asked, and values for which a run was started: once for each.
  const asked = useRef<string>(undefined);
  const tried = useRef<string>(undefined);
  const key = JSON.stringify(values);
  useEffect(() => {
    const isAsked = asked.current === key && found.failure?.code === "result_not_found";
    if (!(found.isStale || isAsked) || tried.current === key || watched.isUnfinished) return;
    tried.current = key;
    void run(values);
  });
  /** Shows the result for these values once they are in the address: by running the query if there is none. */
  const ask = (chosen: ValueTexts) => {
    asked.current = JSON.stringify(chosen);
    tried.current = undefined;
  };

  // Values like now-1h are others at each moment, so the result of the run is not found by them.
  const completedId = watched.run?.status === "completed" ? watched.run.id : undefined;
  const ofRun = useQuery(
    trpc.runs.result.queryOptions(
      { id: completedId ?? "" },
      { enabled: completedId !== undefined && completedId === startedId && found.isMissing },
    ),
  );
  /**
   * Removes the messages about a run with other values. Still watches a run in progress, because a new one
   * waits for it.
   */
  const clear = () => {
    setErrors({});
    setStartedId(undefined);
    if (!watched.isUnfinished) watched.forget();
  };
  return { run, ask, clear, watched, errors, setErrors, ofRun: found.isMissing ? ofRun.data : undefined };
}
