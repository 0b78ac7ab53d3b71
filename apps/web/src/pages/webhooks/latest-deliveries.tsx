import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { ButtonTo } from "../../ui/links.tsx";
import { Section } from "../../ui/section.tsx";
import { DeliveryList } from "./delivery-list.tsx";

export function LatestDeliveries({ endpointId }: { endpointId: string }) {
  const { data, error } = useQuery(
    trpc.webhookDeliveries.search.queryOptions({ endpointId, limit: 5 }, { refetchInterval: 3_000 }),
  );
  return (
    <Section
      title="Latest deliveries"
      actions={
        <ButtonTo to="/settings/webhooks/deliveries" search={{ endpointId }} variant="default" size="sm">
          All deliveries
        </ButtonTo>
      }
    >
      {error && <ErrorNotice error={error} />}
      {!data && !error && <Skeleton height={120} />}
      {data?.items.length === 0 && (
        <Text size="sm" c="dimmed">
          None yet. They appear here as soon as an automation’s run ends.
        </Text>
      )}
      {data && data.items.length > 0 && <DeliveryList deliveries={data.items} />}
    </Section>
  );
}
