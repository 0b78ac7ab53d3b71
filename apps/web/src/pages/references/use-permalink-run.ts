import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { api } from "../../api.ts";
import type { Reference } from "../../charts/visualization.ts";
import { toFailure } from "../../components/failure.ts";
import { toParameterValues, type ValueTexts } from "../../components/parameter-values.ts";
import { useRun } from "../../components/use-run.ts";

/** Runs the query of a permalink on request, and watches the run. */
export function usePermalinkRun({ shortId, parameters }: Reference, queryId: string) {
  const watched = useRun();
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
  return { run, watched, errors };
}
