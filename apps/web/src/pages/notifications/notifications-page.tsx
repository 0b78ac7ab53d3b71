import { Button, Paper, Skeleton } from "@mantine/core";
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { queryClient, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { NotificationItem } from "../../notifications/notification-item.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { PageHeader } from "../../ui/page-header.tsx";

export function NotificationsPage() {
  const list = useInfiniteQuery(
    trpc.notifications.list.infiniteQueryOptions(
      { limit: 30 },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
  );
  const markAll = useMutation(
    trpc.notifications.markRead.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries(trpc.notifications.pathFilter()),
    }),
  );
  const items = list.data?.pages.flatMap((page) => page.items);
  return (
    <>
      <PageHeader title="Notifications" description="From all of your organizations, newest first.">
        <Button variant="default" onClick={() => markAll.mutate({ ids: "all" })}>
          Mark all read
        </Button>
      </PageHeader>
      {(list.error ?? markAll.error) && (
        <ErrorNotice error={list.error ?? markAll.error} onRetry={list.refetch} />
      )}
      {!items && !list.error && <Skeleton height={240} />}
      {items?.length === 0 && (
        <EmptyState
          title="Nothing yet"
          description="You are told here when an automation fails or has a summary for you, and when a webhook endpoint fails or was disabled."
        />
      )}
      {items && items.length > 0 && (
        <Paper withBorder maw="48rem" style={{ overflow: "hidden" }}>
          {items.map((one) => (
            <NotificationItem key={one.id} notification={one} />
          ))}
        </Paper>
      )}
      {list.hasNextPage && (
        <Button variant="default" mt="md" onClick={() => list.fetchNextPage()}>
          Show older ones
        </Button>
      )}
    </>
  );
}
