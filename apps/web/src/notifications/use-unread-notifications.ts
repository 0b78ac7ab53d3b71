import { useDocumentVisibility } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { queryClient, trpc } from "../api.ts";
import { reportFailedCall } from "../frame/connection.ts";
import { useLiveSubscription } from "../runs/use-live-subscription.ts";
import { notificationText } from "./notification-text.ts";

/**
 * The live count of unread notifications. A hidden tab does not subscribe: browsers allow six connections to a site,
 * which background tabs would use up.
 */
export function useUnreadNotifications(): number {
  const isVisible = useDocumentVisibility() === "visible";
  const { data } = useQuery(trpc.notifications.unread.queryOptions());
  const { status, error } = useLiveSubscription(
    trpc.notifications.watch.subscriptionOptions(undefined, {
      enabled: isVisible,
      onData({ unread, arrived }) {
        queryClient.setQueryData(trpc.notifications.unread.queryKey(), { count: unread });
        if (arrived.length === 0) return;
        void queryClient.invalidateQueries(trpc.notifications.list.pathFilter());
        for (const one of arrived) {
          const { title, detail } = notificationText(one);
          notifications.show({ id: one.id, title, message: detail });
        }
      },
    }),
  );
  // This subscription fails as soon as the api stops, so the page notices it without a user action.
  const isBroken = status === "connecting" && error !== null;
  useEffect(() => {
    if (isBroken) reportFailedCall(error);
  }, [isBroken, error]);
  return data?.count ?? 0;
}
