import { Link } from "@tanstack/react-router";
import { shortUrl } from "../../format/short-url.ts";
import { Tag } from "../../ui/tag.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import { type Delivery, deliveryStates, kindLabels, outcomeText } from "./delivery-labels.ts";
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
            {showsEndpoint && <span className={classes.quiet}>{shortUrl(delivery.endpointUrl)}</span>}
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

function progressOf({ attemptCount, lastOutcome, state, kind }: Delivery): string {
  if (attemptCount === 0 || lastOutcome === null) return state === "pending" ? "On its way" : "Not sent";
  const last = lastOutcome === "success" ? "" : `, last: ${outcomeText(lastOutcome)}`;
  // A test is sent once.
  return `${kind === "test" ? "1 attempt" : `${attemptCount} of 8 attempts`}${last}`;
}
