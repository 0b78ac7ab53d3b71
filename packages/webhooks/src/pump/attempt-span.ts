import { type Span, startSpan } from "@querybell/tracing";
import type { ClaimedDelivery } from "../deliveries/claim-due-deliveries.ts";
import type { AttemptResult } from "../send/attempt-result.ts";
import { outcomeClass } from "../send/outcome.ts";

/** The span of one attempt, in the trace of the event. The URL is left out: it may contain a token. */
export const startAttemptSpan = (delivery: ClaimedDelivery): Span | undefined =>
  startSpan({
    name: "webhook attempt",
    kind: "client",
    parent: delivery.traceContext,
    attributes: {
      "querybell.event.id": delivery.eventId,
      "querybell.delivery.id": delivery.id,
      "querybell.delivery.kind": delivery.kind,
      "querybell.endpoint.id": delivery.endpointId,
      "querybell.attempt.number": delivery.attemptCount + 1,
    },
  });

export function endAttemptSpan(span: Span, { outcome, reusedConnection, response }: AttemptResult): void {
  span.setAttributes({
    "querybell.attempt.outcome": outcomeClass(outcome),
    "querybell.attempt.reused_connection": reusedConnection,
    ...(response && { "http.response.status_code": response.status }),
  });
  if (outcome.kind !== "success") span.fail(outcomeClass(outcome));
  span.end();
}
