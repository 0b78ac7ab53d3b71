import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, queryClient, trpc } from "../../api.ts";
import { showFailure } from "../../errors/error-notice.tsx";
import type { Dashboard } from "./dashboard.ts";

const pollEveryMs = 500;

/** Refreshes a dashboard, and follows a refresh until its results can be shown. */
export function useRefresh({ id, refresh }: Pick<Dashboard, "id" | "refresh">) {
  const [startedId, setStartedId] = useState<string>();
  const followedId = startedId ?? (refresh?.isUnfinished ? refresh.id : undefined);
  const { data } = useQuery(
    trpc.dashboards.getRefresh.queryOptions(
      { id: followedId ?? "" },
      {
        enabled: followedId !== undefined,
        refetchInterval: ({ state }) => (state.data?.isUnfinished === false ? false : pollEveryMs),
      },
    ),
  );
  const followed = data?.id === followedId ? data : undefined;
  const hasEnded = followed?.isUnfinished === false;
  useEffect(() => {
    if (!hasEnded) return;
    void queryClient
      .invalidateQueries(trpc.dashboards.get.queryFilter({ id }))
      .then(() => setStartedId(undefined));
  }, [hasEnded, id]);
  const start = async () => {
    try {
      setStartedId((await api.dashboards.refresh.mutate({ id })).id);
    } catch (error) {
      showFailure("Not refreshed", error);
    }
  };
  const cancel = async () => {
    if (followedId === undefined) return;
    try {
      const options = trpc.dashboards.getRefresh.queryOptions({ id: followedId });
      queryClient.setQueryData(
        options.queryKey,
        await api.dashboards.cancelRefresh.mutate({ id: followedId }),
      );
    } catch (error) {
      showFailure("Not cancelled", error);
    }
  };
  return { start, cancel, isRefreshing: followedId !== undefined, progress: followed };
}
