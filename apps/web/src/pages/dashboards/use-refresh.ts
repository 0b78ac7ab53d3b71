import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { api, queryClient, showChange, trpc } from "../../api.ts";
import { showFailure } from "../../errors/error-notice.tsx";
import type { ValueTexts } from "../../parameters/parameter-values.ts";
import { useSession } from "../../session/me.ts";
import type { Dashboard } from "./dashboard.ts";

const pollEveryMs = 500;

interface FilteredBy {
  values: ValueTexts;
  /** Whether the dashboard is still that of other values. */
  isOfOtherValues: boolean;
}

/**
 * Refreshes a dashboard with the values of its filters, and follows a refresh until its results can be shown. Values for
 * which nothing is stored are refreshed at once, and a dashboard that is older than its settings allow when it is opened.
 */
export function useRefresh(dashboard: Dashboard, { values, isOfOtherValues }: FilteredBy) {
  const { id } = dashboard;
  const { user } = useSession();
  const key = JSON.stringify([id, values]);
  const [started, setStarted] = useState<{ id: string; key: string; startedBy: string }>();
  const refresh = isOfOtherValues ? null : dashboard.refresh;
  const followedId = started?.key === key ? started.id : refresh?.isUnfinished ? refresh.id : undefined;
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
      .then(() => setStarted(undefined));
  }, [hasEnded, id]);
  // Nobody waits for a refresh that was started here with other values. Opening may have joined one of somebody else, who does.
  useEffect(() => {
    if (started === undefined || started.key === key) return;
    setStarted(undefined);
    if (started.startedBy === user.id)
      void api.dashboards.cancelRefresh.mutate({ id: started.id }).catch(() => {});
  }, [started, key, user.id]);
  const start = async (unlessNewer?: { maxAgeSeconds: number }) => {
    const filterValues = { ...values };
    try {
      const { id: startedId, startedBy } = await api.dashboards.refresh.mutate({
        id,
        filterValues,
        ...unlessNewer,
      });
      setStarted({ id: startedId, key, startedBy });
    } catch (error) {
      showFailure("Not refreshed", error);
    }
  };
  const tried = useRef<string>(undefined);
  const canRun =
    !isOfOtherValues &&
    dashboard.filterErrors.length === 0 &&
    dashboard.charts.some(({ state }) => state === "shown");
  const isMissing = Object.keys(values).length > 0 && !dashboard.isRefreshed;
  const { isOutdated } = dashboard;
  const { onOpenSeconds } = dashboard.autoRefresh;
  // What is opened is refreshed once, and not again while it stays open.
  const opened = useRef<string>(undefined);
  useEffect(() => {
    if (!canRun) return;
    const isOpened = opened.current !== key;
    opened.current = key;
    if (followedId !== undefined || tried.current === key) return;
    if (isMissing) {
      tried.current = key;
      void start();
    } else if (isOpened && isOutdated && onOpenSeconds !== null) void start({ maxAgeSeconds: onOpenSeconds });
  });
  const cancel = async () => {
    if (followedId === undefined) return;
    try {
      const options = trpc.dashboards.getRefresh.queryOptions({ id: followedId });
      showChange(options.queryKey, await api.dashboards.cancelRefresh.mutate({ id: followedId }));
    } catch (error) {
      showFailure("Not cancelled", error);
    }
  };
  return { start, cancel, isRefreshing: followedId !== undefined, progress: followed };
}
