import { Accordion, Skeleton, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { CodeBlock } from "../../ui/copyable.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import type { EventType } from "./event-labels.ts";
import { WebhookTabs } from "./webhooks-layout.tsx";

/** The catalogue of events, for those who write receivers. */
export function EventTypesPage() {
  const { data: types, error, refetch } = useQuery(trpc.webhookEndpoints.eventTypes.queryOptions({}));
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="What each event means, what is sent, and its JSON Schema. An endpoint gets the events that it asks for."
      />
      <WebhookTabs />
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!types && !error && <Skeleton height={160} />}
      <Accordion multiple variant="separated">
        {types?.map((entry) => (
          <EventTypeItem key={entry.type} entry={entry} />
        ))}
      </Accordion>
    </>
  );
}

const EventTypeItem = ({ entry: { type, description, example, schema } }: { entry: EventType }) => (
  <Accordion.Item value={type}>
    <Accordion.Control>
      <Text fw={600}>{type}</Text>
      <Text size="sm" c="dimmed">
        {description}
      </Text>
    </Accordion.Control>
    <Accordion.Panel>
      <Title order={3} size="h5" mb="xs">
        Example
      </Title>
      <CodeBlock code={JSON.stringify(example, null, 2)} what={`the example of ${type}`} />
      <Title order={3} size="h5" mt="md" mb="xs">
        JSON Schema
      </Title>
      <CodeBlock code={JSON.stringify(schema, null, 2)} what={`the schema of ${type}`} />
    </Accordion.Panel>
  </Accordion.Item>
);
