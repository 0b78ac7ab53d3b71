import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Timestamp } from "../../ui/timestamp.tsx";
import classes from "./attempt-timeline.module.css";
import { type DeliveryDetail, milliseconds, outcomeText } from "./delivery-labels.ts";

interface AttemptTimelineProps {
  delivery: DeliveryDetail;
  /** The number of the attempt that is shown below. */
  open: number | undefined;
}

/** The attempts of a delivery in order. Each is a link to its request and response. */
export function AttemptTimeline({ delivery, open }: AttemptTimelineProps) {
  const { id, attempts, nextAttemptAt, attemptCount, kind } = delivery;
  if (attempts.length === 0) {
    return (
      <Text size="sm" c="dimmed" role="status">
        {nextAttemptAt ? "The first attempt is on its way…" : "It was never sent."}
      </Text>
    );
  }
  return (
    <ol className={classes.timeline}>
      {attempts.map(({ number, outcome, sentence, endedAt, timings }) => (
        <li key={number} className={classes.attempt} data-good={outcome === "success"}>
          <Link
            to="/settings/webhooks/deliveries/$deliveryId"
            params={{ deliveryId: id }}
            search={{ attempt: number }}
            replace
            resetScroll={false}
            className={classes.link ?? ""}
            aria-current={number === open ? "true" : undefined}
          >
            <strong>
              Attempt {number}: {outcomeText(outcome)}
            </strong>
            <span className={classes.quiet}>
              <Timestamp at={endedAt} /> · {milliseconds(timings.total)}
            </span>
            <span className={classes.sentence}>{sentence}</span>
          </Link>
        </li>
      ))}
      {nextAttemptAt && kind !== "test" && (
        <li className={classes.attempt} data-next>
          <span className={classes.quiet}>
            Attempt {attemptCount + 1} of 8 follows <Timestamp at={nextAttemptAt} format="relative" />
          </span>
        </li>
      )}
    </ol>
  );
}
