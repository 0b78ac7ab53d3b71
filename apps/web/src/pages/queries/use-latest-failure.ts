import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../api.ts";
import type { RunFailure, WatchedRun } from "../../runs/use-run.ts";
import type { Query } from "./use-saving.ts";

/**
 * Why the query's latest run failed, if this page did not watch it: it ended before the page was open, as the first run
 * of a new query often does.
 */
export function useLatestFailure(query: Query | undefined, watched: WatchedRun): RunFailure | undefined {
  const latest = query?.latestRun;
  const isWanted = latest?.status === "failed" && !watched.isUnfinished && watched.run === undefined;
  const { data } = useQuery(trpc.runs.get.queryOptions({ id: latest?.id ?? "" }, { enabled: isWanted }));
  return isWanted ? (data?.failure ?? undefined) : undefined;
}
