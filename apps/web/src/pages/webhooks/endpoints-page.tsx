import { Group, Paper, SimpleGrid, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { shortUrl } from "../../format/addresses.ts";
import { formatNumber, pluralize } from "../../format/pluralize.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { AnchorTo, ButtonTo } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { type Endpoint, milliseconds } from "./delivery-labels.ts";
import { EndpointBadge } from "./endpoint-badge.tsx";
import { HealthChart } from "./endpoint-health.tsx";
import { WebhookTabs } from "./webhooks-layout.tsx";

export function EndpointsPage() {
  const {
    data: endpoints,
    error,
    refetch,
  } = useQuery(trpc.webhookEndpoints.list.queryOptions(undefined, { refetchInterval: 5_000 }));
  const create = <ButtonTo to="/settings/webhooks/new">Create an endpoint</ButtonTo>;
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="Querybell calls these addresses when an automation’s run has ended: signed, and retried for about 36 hours."
      >
        {create}
      </PageHeader>
      <WebhookTabs />
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!endpoints && !error && <Skeleton height={160} />}
      {endpoints?.length === 0 && (
        <EmptyState
          title="No endpoints yet"
          description="An endpoint is an address of yours that receives events. You get a secret to verify them with, and a few lines of code for your framework."
        >
          {create}
        </EmptyState>
      )}
      <Stack component="ul" p={0} m={0} aria-label="Endpoints">
        {endpoints?.map((endpoint) => (
          <EndpointCard key={endpoint.id} endpoint={endpoint} />
        ))}
      </Stack>
    </>
  );
}

function EndpointCard({ endpoint }: { endpoint: Endpoint }) {
  const { id, url, description, held, pending } = endpoint;
  const { data: health } = useQuery(
    trpc.webhookEndpoints.health.queryOptions({ id }, { refetchInterval: 15_000 }),
  );
  return (
    <Paper component="li" withBorder p="md" display="block">
      <SimpleGrid cols={{ base: 1, md: 2 }} verticalSpacing="sm">
        <div>
          <Group gap="xs" mb={4}>
            <AnchorTo
              to="/settings/webhooks/endpoints/$endpointId"
              params={{ endpointId: id }}
              fw={600}
              underline="hover"
            >
              {shortUrl(url)}
            </AnchorTo>
            <EndpointBadge endpoint={endpoint} />
          </Group>
          {description !== "" && <Text size="sm">{description}</Text>}
          <Text size="sm" c="dimmed">
            {held > 0 && `${formatNumber(held)} held · `}
            {pending > 0 && `${formatNumber(pending)} pending · `}
            {endpoint.eventTypes.join(", ")}
            {endpoint.filter && ", filtered"}
          </Text>
        </div>
        <div>
          {health ? <HealthChart hours={health.hours} /> : <Skeleton height={40} />}
          <Text size="xs" c="dimmed" mt={4}>
            {health ? inShort(health) : "…"}
          </Text>
        </div>
      </SimpleGrid>
    </Paper>
  );
}

function inShort({
  attempts: { succeeded, failed },
  medianMs,
}: {
  attempts: { succeeded: number; failed: number };
  medianMs: number | null;
}): string {
  const total = succeeded + failed;
  if (total === 0) return "No attempts in the last 24 hours";
  const rate = Math.floor((succeeded / total) * 1000) / 10;
  const median = medianMs === null ? "" : `, half of them within ${milliseconds(medianMs)}`;
  return `${pluralize(total, "attempt")} in 24 hours, ${rate} % succeeded${median}`;
}
