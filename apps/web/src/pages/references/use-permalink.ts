import { notifications } from "@mantine/notifications";
import type { ParameterDefinition } from "@querybell/domain";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { api, trpc } from "../../api.ts";
import { toFailure } from "../../errors/failure.ts";
import { toParameterValues, type ValueTexts } from "../../parameters/parameter-values.ts";
import { errorsByParameter } from "../../parameters/value-errors.ts";
import type { FoundResult } from "../../results/use-result-of-values.ts";
import { useAwaitedRun, useRun } from "../../runs/use-run.ts";

interface PermalinkRun {
  queryId: string;
  /** Of the chart whose values they are. Absent: those of the query. */
  shortId?: string;
  definitions: readonly ParameterDefinition[];
  values: ValueTexts;
  found: FoundResult;
}

/**
 * Runs the query of a permalink on request, and when the page is opened and its result has expired. Watches the run.
 * Without a result, also watches a run in progress.
 */
export function usePermalinkRun({ queryId, shortId, definitions, values, found }: PermalinkRun) {
  const watched = useRun(useAwaitedRun(queryId, found.isMissing));
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [startedId, setStartedId] = useState<string>();
  const run = async (chosen: ValueTexts) => {
    setErrors({});
    try {
      const parameterValues = toParameterValues(definitions, chosen);
      const { id } = await api.queries.run.mutate({
        ...{ id: queryId, parameterValues },
        ...(shortId !== undefined && { shortId }),
      });
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
