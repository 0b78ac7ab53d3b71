import { ActionIcon, Button, Group, Indicator, Popover, ScrollArea, Skeleton, Text } from "@mantine/core";
import { useDocumentVisibility } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconBell } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type ComponentProps, useEffect } from "react";
import { queryClient, trpc } from "../api.ts";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { reportFailedCall } from "../frame/connection.ts";
import { useLiveSubscription } from "../runs/use-live-subscription.ts";
import { ButtonTo } from "../ui/links.tsx";
import { UntilUsed } from "../ui/until-used.tsx";
import { NotificationItem, notificationText } from "./notification-item.tsx";

/** The bell with the live count of unread notifications, and a menu with the latest ones. */
export function Bell() {
  const unread = useUnreadNotifications();
  const label = unread === 0 ? "Notifications" : `Notifications, ${unread} unread`;
  const drawButton = (props: ComponentProps<typeof ActionIcon<"button">>) => (
    <ActionIcon variant="subtle" size="lg" aria-label={label} {...props}>
      <IconBell size={20} stroke={1.7} />
    </ActionIcon>
  );
  return (
    <Indicator
      label={unread > 99 ? "99+" : unread}
      size={18}
      offset={4}
      disabled={unread === 0}
      color="amber.4"
      autoContrast
    >
      <UntilUsed
        opens="dialog"
        closed={drawButton}
        used={({ button, isOpen, setOpen }) => (
          <Popover opened={isOpen} onChange={setOpen} position="bottom-end" width={360} trapFocus returnFocus>
            <Popover.Target>{drawButton({ ref: button, onClick: () => setOpen(!isOpen) })}</Popover.Target>
            <Popover.Dropdown p="xs" maw="calc(100vw - 2rem)">
              <Latest onOpen={() => setOpen(false)} />
            </Popover.Dropdown>
          </Popover>
        )}
      />
    </Indicator>
  );
}

function Latest({ onOpen }: { onOpen: () => void }) {
  const { data, error, refetch } = useQuery(trpc.notifications.list.queryOptions({ limit: 10 }));
  const markAll = useMutation(
    trpc.notifications.markRead.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries(trpc.notifications.pathFilter()),
    }),
  );
  return (
    <>
      <Group justify="space-between" px="xs" pb="xs">
        <Text fw={600}>Notifications</Text>
        <Button variant="subtle" size="compact-sm" onClick={() => markAll.mutate({ ids: "all" })}>
          Mark all read
        </Button>
      </Group>
      {(error ?? markAll.error) && <ErrorNotice error={error ?? markAll.error} onRetry={refetch} />}
      <ScrollArea.Autosize mah={380}>
        {!data && !error && <Skeleton height={120} />}
        {data?.items.length === 0 && (
          <Text size="sm" c="dimmed" p="xs">
            Nothing yet. You are told here when an automation or a webhook endpoint needs you.
          </Text>
        )}
        {data?.items.map((one) => (
          <NotificationItem key={one.id} notification={one} onOpen={onOpen} />
        ))}
      </ScrollArea.Autosize>
      <ButtonTo to="/notifications" variant="subtle" size="compact-sm" mt="xs" fullWidth onClick={onOpen}>
        All notifications
      </ButtonTo>
    </>
  );
}

/**
 * The live count of unread notifications. A hidden tab does not subscribe: browsers allow six connections to a site,
 * which background tabs would use up.
 */
function useUnreadNotifications(): number {
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
