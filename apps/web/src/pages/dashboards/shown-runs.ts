// Without imports of values: what is shown is requested before the app has loaded.
import type { Dashboard } from "./dashboard.ts";

export interface ShownRun {
  runId: string;
  isExpired: boolean;
}

/** The runs whose results the charts of a dashboard show, each once. */
export function shownRuns(charts: Dashboard["charts"]): ShownRun[] {
  const runs = new Map<string, ShownRun>();
  for (const chart of charts) {
    if (chart.state !== "shown" || !chart.result) continue;
    const { runId, isExpired } = chart.result;
    runs.set(runId, { runId, isExpired });
  }
  return [...runs.values()];
}

/** Where all their results are. */
export const addressOfResults = (runs: readonly ShownRun[]): string =>
  `/api/results?runs=${runs.map(({ runId }) => runId).join(",")}`;
