import { notifications } from "@mantine/notifications";
import type { Outputs } from "@querybell/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api.ts";
import type { Reference } from "../../charts/visualization.ts";
import { type Failure, toFailure } from "../../errors/failure.ts";
import { toParameterValues, type ValueTexts } from "../../parameters/parameter-values.ts";
import { cachedResultOptions } from "../../results/cached-result.ts";
import { useAwaitedRun, useRun } from "../../runs/use-run.ts";

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

interface PermalinkRun {
  reference: Reference;
  queryId: string;
  isResultMissing: boolean;
}

/**
 * Runs the query of a permalink on request and watches the run. Without a result, also watches a run in
 * progress.
 */
export function usePermalinkRun({ reference, queryId, isResultMissing }: PermalinkRun) {
  const { shortId, parameters } = reference;
  const watched = useRun(useAwaitedRun(queryId, isResultMissing));
  const [errors, setErrors] = useState<Record<string, string>>({});
  const run = async (values: ValueTexts) => {
    setErrors({});
    try {
      const { id } = await api.queries.run.mutate({
        id: queryId,
        shortId,
        parameterValues: toParameterValues(parameters, values),
      });
      watched.watch(id);
    } catch (refused) {
      const { fields, message } = toFailure(refused);
      setErrors(fields);
      if (Object.keys(fields).length === 0) notifications.show({ color: "red", title: "Not run", message });
    }
  };
  /**
   * Removes the messages about a run with other values. Still watches a run in progress, because a new one
   * waits for it.
   */
  const clear = () => {
    setErrors({});
    if (!watched.isUnfinished) watched.forget();
  };
  return { run, clear, watched, errors };
}
