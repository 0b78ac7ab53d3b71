import type { Outputs } from "@querybell/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { trpc } from "../api.ts";
import { cachedResults } from "../results/cached-result.ts";

const pollMs = 2000;

/** The id of a query's latest run, unless it has ended. */
export function unfinishedRunOf(query: Outputs["queries"]["get"] | undefined): string | undefined {
  const run = query?.latestRun;
  return run && ["pending", "running"].includes(run.status) ? run.id : undefined;
}

/**
 * For a query whose result is missing: the id of an unfinished run, whoever started it. When that run ends, the result is
 * fetched again. Polls, because a page of many charts must not hold a stream open for each.
 */
export function useAwaitedRun(queryId: string | undefined, isMissing: boolean): string | undefined {
  const queries = useQueryClient();
  const { data } = useQuery(
    trpc.queries.get.queryOptions(
      { id: queryId ?? "" },
      {
        enabled: isMissing && queryId !== undefined,
        staleTime: 0,
        refetchInterval: ({ state }) => (unfinishedRunOf(state.data) ? pollMs : false),
      },
    ),
  );
  const unfinished = isMissing ? unfinishedRunOf(data) : undefined;
  const before = useRef<string>(undefined);
  useEffect(() => {
    const hasEnded = before.current !== undefined && before.current !== unfinished;
    before.current = unfinished;
    if (hasEnded && isMissing) void queries.invalidateQueries(cachedResults);
  }, [queries, unfinished, isMissing]);
  return unfinished;
}
