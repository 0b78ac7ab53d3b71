import { useEffect, useState } from "react";
import { reportFailedCall, useOnReconnect } from "../../frame/connection.ts";
import type { ValueTexts } from "../../parameters/parameter-values.ts";
import type { OpenResult } from "../../results/open-result.ts";
import { findResults, openResults } from "../../results/open-results.ts";
import { takeEarly } from "../../results/request-results.ts";
import type { Chart, Dashboard } from "./dashboard.ts";
import { addressOfResults, shownRuns } from "./shown-runs.ts";

export interface LoadedCharts {
  /** By the id of the reference. */
  charts: ReadonlyMap<string, Chart>;
  /** By the id of the run. */
  results: ReadonlyMap<string, OpenResult>;
  /** By database: the moment that its charts show. */
  instants: Dashboard["instants"];
  /** The values of the filters, as they are given. */
  values: ValueTexts;
}

interface Loading {
  loaded: LoadedCharts | undefined;
  /** The runs whose results are loaded. */
  key: string | undefined;
  error: unknown;
}

/**
 * Opens the results of all charts with one request. Charts, results and the moment that the heading names change together,
 * once all results are there: tiles never show a mixture of earlier and later results. Without values, the charts are those
 * of other values, and what is loaded stays.
 */
export function useLoadedCharts(
  { charts, instants }: Pick<Dashboard, "charts" | "instants">,
  values: ValueTexts | undefined,
) {
  const runs = shownRuns(charts);
  const address = addressOfResults(runs);
  const key = values && JSON.stringify([values, runs]);
  const [{ loaded, key: loadedKey, error }, setLoading] = useState<Loading>(() => {
    const results = values && findResults(runs, address);
    return results
      ? { loaded: { charts: byReference(charts), results, instants, values }, key, error: undefined }
      : { loaded: undefined, key: undefined, error: undefined };
  });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (!values) return;
    if (key === loadedKey && error === undefined) {
      takeEarly(address);
      return;
    }
    let isWanted = true;
    openResults(runs, address).then(
      (results) => {
        const next = { charts: byReference(charts), results, instants, values };
        if (isWanted) setLoading({ loaded: next, key, error: undefined });
        else closeAll(results);
      },
      (failure: unknown) => {
        reportFailedCall(failure);
        if (isWanted) setLoading((before) => ({ ...before, error: failure }));
      },
    );
    return () => {
      isWanted = false;
    };
  }, [key, attempt]);
  // The previous results are closed once the next ones are shown.
  const results = loaded?.results;
  useEffect(() => () => closeAll(results), [results]);
  const retry = () => setAttempt((before) => before + 1);
  useOnReconnect(() => error !== undefined && retry());
  return {
    // What has changed besides the results, such as a title, is shown at once.
    loaded: loaded && key === loadedKey ? { ...loaded, charts: byReference(charts), instants } : loaded,
    error,
    retry,
  };
}

function closeAll(results: LoadedCharts["results"] | undefined): void {
  for (const result of results?.values() ?? []) result.close();
}

const byReference = (charts: readonly Chart[]) => new Map(charts.map((chart) => [chart.referenceId, chart]));
