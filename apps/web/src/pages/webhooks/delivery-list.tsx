import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { ButtonTo } from "../../ui/links.tsx";
import { Section } from "../../ui/section.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import {
  type Delivery,
  type DeliveryDetail,
  deliveryStates,
  kindLabels,
  outcomeText,
  receiverOf,
} from "./delivery-labels.ts";
import classes from "./delivery-list.module.css";

interface DeliveryListProps {
  deliveries: Delivery[];
  /** Set if the list has deliveries of several endpoints. */
  showsEndpoint?: boolean;
}

/** A list with a row for each delivery, and blocks at phone width. The whole row is a link. */
export const DeliveryList = ({ deliveries, showsEndpoint = false }: DeliveryListProps) => (
  <ul className={classes.list} aria-label="Deliveries">
    {deliveries.map((delivery) => (
      <li key={delivery.id}>
        <Link
          to="/settings/webhooks/deliveries/$deliveryId"
          params={{ deliveryId: delivery.id }}
          className={classes.row ?? ""}
        >
          <span className={classes.state}>
            <Tag tone={deliveryStates[delivery.state].tone}>{deliveryStates[delivery.state].label}</Tag>
          </span>
          <span className={classes.what}>
            <span className={classes.type}>{delivery.type}</span>
            {kindLabels[delivery.kind] && <Tag>{kindLabels[delivery.kind]}</Tag>}
            {showsEndpoint && <span className={classes.quiet}>{receiverOf(delivery)}</span>}
          </span>
          <span className={classes.quiet}>{progressOf(delivery)}</span>
          <span className={classes.time}>
            <Timestamp at={delivery.createdAt} />
          </span>
        </Link>
      </li>
    ))}
  </ul>
);

/** How often a delivery is attempted at most. */
const maxAttempts = ({ endpointKind }: Delivery): number => (endpointKind === "mcp" ? 7 : 8);

function progressOf(delivery: Delivery): string {
  const { attemptCount, lastOutcome, state, kind } = delivery;
  if (attemptCount === 0 || lastOutcome === null) return state === "pending" ? "On its way" : "Not sent";
  const last = lastOutcome === "success" ? "" : `, last: ${outcomeText(lastOutcome)}`;
  // A test is sent once.
  return `${kind === "test" ? "1 attempt" : `${attemptCount} of ${maxAttempts(delivery)} attempts`}${last}`;
}

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
