import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { LoadingFrame } from "../../frame/frames.tsx";
import { CodeBlock } from "../../ui/copyable.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { TabLinks } from "../../ui/tab-links.tsx";

export const WebhooksLayout = () => (
  <RequireWebhooks
    title="Webhooks"
    description="Querybell calls your programs when an automation’s run has ended: signed, retried for 36 hours, and with a log of every attempt."
  />
);

export const DestinationsLayout = () => (
  <RequireWebhooks
    title="Destinations"
    description="Automations send messages to Slack, Microsoft Teams, Discord and mail addresses when their runs have ended."
  />
);

/** The layout of these pages. If webhooks are not enabled, says whom to ask. */
function RequireWebhooks({ title, description }: { title: string; description: string }) {
  const { data: settings, error, refetch } = useQuery(trpc.settings.get.queryOptions());
  if (error && !settings) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!settings) return <LoadingFrame />;
  if (settings.webhooksEnabled) return <Outlet />;
  return (
    <>
      <PageHeader title={title} description={description} />
      <Text mb="sm">
        Webhooks and destinations are switched off for {settings.name}. Only the operator of this Querybell,
        the person who runs its servers, can switch them on. Nobody in your organization can, not even an
        owner. Send the operator this command:
      </Text>
      <CodeBlock
        code={`pnpm operator webhooks on --organization ${settings.slug}`}
        what="the operator’s command"
        wraps
      />
      <Text size="sm" c="dimmed" mt="sm">
        You do not know who that is? Ask whoever gave you the address of this Querybell. When they have run
        it, reload this page.
      </Text>
    </>
  );
}

const tabs = [
  { label: "Endpoints", to: "/settings/webhooks", exact: true },
  { label: "Deliveries", to: "/settings/webhooks/deliveries" },
  { label: "Subscriptions", to: "/settings/webhooks/subscriptions" },
  { label: "Event types", to: "/settings/webhooks/events" },
] as const;

export const WebhookTabs = () => <TabLinks look="pills" label="Webhooks" tabs={tabs} />;
