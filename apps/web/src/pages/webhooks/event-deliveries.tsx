import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../api.ts";
import { Section } from "../../ui/section.tsx";
import type { DeliveryDetail } from "./delivery-labels.ts";
import { DeliveryList } from "./delivery-list.tsx";

/** The other deliveries of the same event: to other endpoints, and resends. */
export function EventDeliveries({ delivery: { id, eventId } }: { delivery: DeliveryDetail }) {
  const { data } = useQuery(
    trpc.webhookDeliveries.search.queryOptions({ eventId, limit: 20 }, { refetchInterval: 3_000 }),
  );
  const others = data?.items.filter((delivery) => delivery.id !== id) ?? [];
  if (others.length === 0) return null;
  return (
    <Section title="Other deliveries of this event" description="To other endpoints, and resends.">
      <DeliveryList deliveries={others} showsEndpoint />
    </Section>
  );
}
