import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { api } from "../../api.ts";
import type { Reference } from "../../charts/visualization.ts";
import { toFailure } from "../../errors/failure.ts";
import { toParameterValues, type ValueTexts } from "../../parameters/parameter-values.ts";
import { useAwaitedRun } from "../../runs/use-awaited-run.ts";
import { useRun } from "../../runs/use-run.ts";

interface PermalinkRun {
  reference: Reference;
  queryId: string;
  isResultMissing: boolean;
}

/** Runs the query of a permalink on request, and watches the run; without a result also one that is under way. */
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
  /** Drops what was said about a run of other values. A run that is under way is still watched: another has to wait for it. */
  const clear = () => {
    setErrors({});
    if (!watched.isUnfinished) watched.forget();
  };
  return { run, clear, watched, errors };
}
