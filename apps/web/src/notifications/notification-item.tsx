import { Badge, Group, Text } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { api, queryClient, trpc } from "../api.ts";
import { showFailure } from "../errors/error-notice.tsx";
import { chatHref, dashboardHref, destinationHref, endpointHref } from "../format/addresses.ts";
import { failureText } from "../runs/run-state.tsx";
import { useSession } from "../session/me.ts";
import { switchOrganization } from "../session/session-changes.ts";
import { isPlainClick } from "../ui/links.tsx";
import { Timestamp } from "../ui/timestamp.tsx";
import classes from "./notification-item.module.css";

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

type Notification = Outputs["notifications"]["list"]["items"][number];

interface NotificationText {
  title: string;
  detail: string;
  /** The subject. */
  href: string;
}

/** The text of a notification and the address of its subject. */
export function notificationText({ kind, detail }: Notification): NotificationText {
  switch (kind) {
    case "webhook_endpoint_failing":
      return {
        title: `${kindOfEndpoint(detail)} is failing`,
        detail: `Every attempt of ${detail.failures} events in a row failed at ${nameOfEndpoint(detail)}.`,
        href: hrefOfEndpoint(detail),
      };
    case "webhook_endpoint_disabled":
      return {
        title: `${kindOfEndpoint(detail)} was disabled`,
        detail: `${detail.failures} events in a row failed at ${nameOfEndpoint(detail)}. New deliveries are held until it is enabled.`,
        href: hrefOfEndpoint(detail),
      };
    case "automation_run_failed":
      return {
        title: `${detail.automationName} ${detail.failure.code === "stopped" ? "was stopped" : "failed"}`,
        detail: failureText(detail.failure),
        href: chatHref(detail.shortId),
      };
    case "automation_summary":
      return {
        title: `${detail.automationName} has a summary${detail.isUnchecked ? ", not checked by Querybell" : ""}`,
        detail: detail.summary,
        href: chatHref(detail.shortId),
      };
    case "dashboard_refresh_failed":
      return {
        title: `${detail.title} was not refreshed`,
        detail: detail.reason,
        href: dashboardHref(detail.dashboardId),
      };
    case "organization_deletion_requested":
      return {
        title: `${detail.organizationName} will be deleted`,
        detail: `The deletion is requested. Until ${dayOf(detail.dueAt)}, every owner can cancel it.`,
        href: "/settings/export",
      };
    case "organization_deletion_cancelled":
      return {
        title: `${detail.organizationName} will not be deleted`,
        detail: "The deletion is cancelled.",
        href: "/settings/export",
      };
  }
}

interface EndpointDetail {
  endpointId: string;
  url: string;
  destination?: string | undefined;
}

const kindOfEndpoint = ({ destination }: EndpointDetail): string =>
  destination === undefined ? "A webhook endpoint" : "A destination";

const nameOfEndpoint = ({ url, destination }: EndpointDetail): string => destination ?? url;

const hrefOfEndpoint = ({ endpointId, destination }: EndpointDetail): string =>
  destination === undefined ? endpointHref(endpointId) : destinationHref(endpointId);

const dayOf = (at: string): string => new Date(at).toLocaleDateString(undefined, { dateStyle: "long" });
