import { Badge, Group, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { api, queryClient, trpc } from "../api.ts";
import { showFailure } from "../errors/show-failure.ts";
import { useSession } from "../session/me.ts";
import { switchOrganization } from "../session/switch-organization.ts";
import { isPlainClick } from "../ui/plain-click.ts";
import { Timestamp } from "../ui/timestamp.tsx";
import classes from "./notification-item.module.css";
import { type Notification, notificationText } from "./notification-text.ts";

interface NotificationItemProps {
  notification: Notification;
  onOpen?: () => void;
}

/** One notification. Opening it marks it read and opens its subject, switching the organization if necessary. */
export function NotificationItem({ notification, onOpen }: NotificationItemProps) {
  const { id, createdAt, readAt, organizationId } = notification;
  const { title, detail, href } = notificationText(notification);
  const session = useSession();
  const router = useRouter();
  const isElsewhere = organizationId !== session.organizationId;
  const organization = session.memberships.find((one) => one.organizationId === organizationId);
  const open = useMutation({
    mutationFn: async () => {
      if (readAt === null) await api.notifications.markRead.mutate({ ids: [id] });
      if (isElsewhere) return switchOrganization(organizationId, href);
      void queryClient.invalidateQueries(trpc.notifications.pathFilter());
      onOpen?.();
      await router.navigate({ href });
    },
    onError: (error) => showFailure("Not opened", error),
  });
  return (
    <a
      href={href}
      className={classes.item}
      data-unread={readAt === null}
      onClick={(event) => {
        if (!isPlainClick(event)) return;
        event.preventDefault();
        open.mutate();
      }}
    >
      <Group justify="space-between" gap="xs" wrap="nowrap" align="baseline">
        <Text fw={readAt === null ? 600 : 400} size="sm">
          {title}
        </Text>
        {readAt === null && (
          <Badge size="xs" variant="filled" flex="none">
            new
          </Badge>
        )}
      </Group>
      <Text size="sm" lineClamp={3}>
        {detail}
      </Text>
      <Text size="xs" c="dimmed">
        <Timestamp at={createdAt} format="relative" />
        {isElsewhere && organization && ` in ${organization.name}`}
      </Text>
    </a>
  );
}
