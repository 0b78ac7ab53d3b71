import type { Outputs } from "@querybell/client";
import { skipToken, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { api, trpc } from "../api.ts";
import { cachedResults } from "../results/cached-result.ts";
import { useLiveSubscription } from "./use-live-subscription.ts";

type RunDetail = Outputs["runs"]["get"];
export type RunFailure = NonNullable<RunDetail["failure"]>;

export interface WatchedRun {
  /** The latest state of the run. It stays after the run has ended, until another is started. */
  run: RunDetail | undefined;
  isUnfinished: boolean;
  watch: (runId: string) => void;
  cancel: () => Promise<void>;
  forget: () => void;
}

/** Watches a run until it has ended, and then refetches the data of its query. */
export function useRun(startWith?: string): WatchedRun {
  const [runId, setRunId] = useState(startWith);
  const [run, setRun] = useState<RunDetail>();
  const queries = useQueryClient();
  // A run that was started elsewhere is watched too, unless another run is selected here.
  useEffect(() => setRunId((before) => before ?? startWith), [startWith]);
  const current = run?.id === runId ? run : undefined;
  const hasEnded = current?.status === "completed" || current?.status === "failed";

  useLiveSubscription(
    trpc.runs.watch.subscriptionOptions(runId === undefined || hasEnded ? skipToken : { id: runId }, {
      onData(news) {
        setRun(news);
        if (news.status !== "completed" && news.status !== "failed") return;
        void queries.invalidateQueries(cachedResults);
        void queries.invalidateQueries(trpc.queries.get.queryFilter());
        void queries.invalidateQueries(trpc.library.pathFilter());
        void queries.invalidateQueries(trpc.runs.list.queryFilter());
      },
    }),
  );
  const watch = useCallback((id: string) => setRunId(id), []);
  const cancel = useCallback(async () => {
    if (runId !== undefined) await api.runs.cancel.mutate({ id: runId });
  }, [runId]);
  const forget = useCallback(() => setRunId(undefined), []);
  return { run: current, isUnfinished: runId !== undefined && !hasEnded, watch, cancel, forget };
}

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
