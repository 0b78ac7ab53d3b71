import { isDestinationKind } from "@querybell/domain";
import { type Span, startSpan } from "@querybell/tracing";
import { type ClaimedDelivery, readEventBody } from "../deliveries/claim-due-deliveries.ts";
import { type RecordResult, toOutcomeRecord } from "../deliveries/record-outcomes.ts";
import { toSentBody } from "../send/event-body.ts";
import { createMissingMessenger } from "../send/messenger.ts";
import { type AttemptResult, outcomeClass } from "../send/outcome.ts";
import { readRetryAfterMs } from "../send/retry-after.ts";
import { findSigningSecrets } from "./endpoint-settings.ts";
import { type HeldEndpoint, slowAfterMs } from "./held-endpoint.ts";
import type { Lanes } from "./lanes.ts";
import { createOutcomeRecorder } from "./outcome-recorder.ts";
import type { PumpOptions } from "./pump.ts";

interface AttemptsOptions extends PumpOptions {
  pumpId: string;
  lanes: Lanes;
  /** Called for each attempt that has ended, before its outcome is recorded. */
  onEnded: (endpoint: HeldEndpoint) => void;
  /** Called after each batch of outcomes: it is recorded, or the lease is lost. */
  onRecorded: (result: RecordResult) => void;
}

/** Sends deliveries and records how each attempt ended. */
export function createAttempts(options: AttemptsOptions) {
  const { pool, clock, sender, observer, lanes, onEnded, onError, random = Math.random } = options;
  const { messenger = createMissingMessenger(clock) } = options;
  const recorder = createOutcomeRecorder(options);
  /** In the order in which they started. */
  const inFlight = new Map<ClaimedDelivery, { endpoint: HeldEndpoint; startedAt: number }>();
  let nextPosition = 0;

  /**
   * Starts an attempt for the next buffered delivery. False if there is none, or no secret to sign it with, or if the
   * subscription has ended.
   */
  function start(endpoint: HeldEndpoint): boolean {
    const { settings } = endpoint;
    const now = clock.now();
    if (settings.expiresAt && settings.expiresAt <= now) return false;
    const secrets = findSigningSecrets(settings, now);
    const [secret] = secrets;
    const delivery = secret && endpoint.takeFromBuffer();
    if (!delivery) return false;
    lanes.attemptStarted(endpoint);
    inFlight.set(delivery, { endpoint, startedAt: performance.now() });
    const span = startAttemptSpan(delivery);
    const send = (body: Uint8Array): Promise<AttemptResult> =>
      isDestinationKind(settings.kind)
        ? messenger.send(settings, { ...delivery, body })
        : sender.send(
            settings,
            secrets.flatMap(({ key }) => key ?? []),
            {
              id: delivery.eventId,
              body: toSentBody({ ...delivery, body, subscriptionId: settings.subscriptionId }),
              traceparent: span?.traceparent,
            },
          );
    /** Undefined if nothing was sent: the body could not be read, or the lease was lost meanwhile. */
    const readAndSend = async (): Promise<AttemptResult | undefined> => {
      try {
        const body = await readEventBody(pool, delivery.eventId);
        return endpoint.isLeaseLost ? undefined : await send(body);
      } catch (error) {
        onError(error);
        return undefined;
      }
    };
    const sending = delivery.body ? send(delivery.body) : readAndSend();
    sending.then((result) => {
      if (span) endAttemptSpan(span, result);
      inFlight.delete(delivery);
      lanes.attemptEnded(endpoint);
      if (!result) {
        // No attempt: it is still due, and claimed again by the next poll.
        endpoint.release(delivery.id);
      } else if (!endpoint.isLeaseLost) {
        applyResult(endpoint, delivery, result);
        const ended = {
          position: nextPosition++,
          delivery,
          result,
          endedAt: clock.now(),
          recipient: settings,
          secretId: secret.id,
        };
        recorder.push(endpoint, toOutcomeRecord(ended, random));
      }
      onEnded(endpoint);
    });
    return true;
  }

  function applyResult(
    endpoint: HeldEndpoint,
    delivery: ClaimedDelivery,
    { outcome, startedAt, timings, response }: AttemptResult,
  ): void {
    const { lane } = endpoint;
    const isOfEndpoint = outcome.kind !== "refused_recipient";
    if (isOfEndpoint) lanes.move(endpoint, endpoint.applyResult(outcome.kind === "success", timings.total));
    const retryAfterMs = readRetryAfterMs(endpoint.settings, response, clock.now());
    if (retryAfterMs !== undefined) endpoint.pause(retryAfterMs, clock.now());
    observer?.onAttempt({
      outcome: outcomeClass(outcome),
      lane,
      totalMs: timings.total,
      latencyMs: delivery.attemptCount === 0 ? startedAt.getTime() - delivery.createdAt.getTime() : undefined,
    });
  }

  return {
    start,
    /** Moves endpoints with a slow attempt in flight to the struggling lane. */
    moveSlow(): void {
      const startedBefore = performance.now() - slowAfterMs;
      for (const { endpoint, startedAt } of inFlight.values()) {
        if (startedAt > startedBefore) break;
        lanes.move(endpoint, "struggling");
      }
    },
    /** How many attempts have ended and are not recorded. */
    get unrecorded(): number {
      return recorder.unrecorded;
    },
    /** Whether nothing is in flight and every outcome is recorded. */
    get isIdle(): boolean {
      return inFlight.size === 0 && recorder.unrecorded === 0;
    },
    /** Records nothing any more. */
    abandon: recorder.abandon,
  };
}

/** The span of one attempt, in the trace of the event. The URL is left out: it may contain a token. */
const startAttemptSpan = (delivery: ClaimedDelivery): Span | undefined =>
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

function endAttemptSpan(span: Span, result: AttemptResult | undefined): void {
  if (!result) {
    span.fail("not_sent");
    span.end();
    return;
  }
  const { outcome, reusedConnection, response } = result;
  span.setAttributes({
    "querybell.attempt.outcome": outcomeClass(outcome),
    "querybell.attempt.reused_connection": reusedConnection,
    ...(response && { "http.response.status_code": response.status }),
  });
  if (outcome.kind !== "success") span.fail(outcomeClass(outcome));
  span.end();
}
