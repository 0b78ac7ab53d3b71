import { maxWebhookAttempts, nextAttemptAt } from "@querybell/domain";
import type { AttemptResult } from "../send/attempt-result.ts";
import type { Destination } from "../send/destination.ts";
import { describeOutcome, outcomeClass } from "../send/outcome.ts";
import type { ClaimedDelivery } from "./claim-due-deliveries.ts";

/** One attempt as it is recorded in the database. */
export interface OutcomeRecord {
  /** The order in which the attempts of this pump ended. */
  position: number;
  deliveryId: string;
  /** 1 for a delivery's first attempt. */
  number: number;
  /** The delivery's state after this attempt, unless it was cancelled or dropped during the attempt. */
  state: "pending" | "succeeded" | "exhausted";
  nextAttemptAt: Date | undefined;
  outcome: string;
  sentence: string;
  status: number | undefined;
  startedAt: Date;
  endedAt: Date;
  url: string;
  address: string | undefined;
  reusedConnection: boolean;
  /** JSON of an array: name, value, name, value … */
  requestHeaders: string;
  secretId: string;
  responseHeaders: string | undefined;
  responseBody: Uint8Array | undefined;
  responseBytes: number | undefined;
  bodyEnd: string | undefined;
  dnsMs: number | undefined;
  connectMs: number | undefined;
  tlsMs: number | undefined;
  firstByteMs: number | undefined;
  totalMs: number;
}

interface EndedAttempt {
  position: number;
  delivery: ClaimedDelivery;
  result: AttemptResult;
  endedAt: Date;
  destination: Destination;
  /** The secret that signed the attempt. */
  secretId: string;
}

export function toOutcomeRecord(ended: EndedAttempt, random: () => number): OutcomeRecord {
  const { position, delivery, result, endedAt, destination, secretId } = ended;
  const { outcome, response, timings } = result;
  const number = delivery.attemptCount + 1;
  const isLast = delivery.kind === "test" || number >= maxWebhookAttempts;
  const next = isLast ? undefined : nextAttemptAt(number, endedAt, random);
  return {
    position,
    deliveryId: delivery.id,
    number,
    state: outcome.kind === "success" ? "succeeded" : next ? "pending" : "exhausted",
    nextAttemptAt: outcome.kind === "success" ? undefined : next,
    outcome: outcomeClass(outcome),
    sentence: describeOutcome(outcome),
    status: response?.status,
    startedAt: result.startedAt,
    endedAt,
    url: destination.url,
    address: result.address,
    reusedConnection: result.reusedConnection,
    requestHeaders: JSON.stringify(maskHeaders(result.headers, destination.maskedHeaders)),
    secretId,
    responseHeaders: response && JSON.stringify(response.headers),
    responseBody: response?.body,
    responseBytes: response?.bodyBytes,
    bodyEnd: response?.bodyEnd,
    dnsMs: timings.dns,
    connectMs: timings.connect,
    tlsMs: timings.tls,
    firstByteMs: timings.firstByte,
    totalMs: timings.total,
  };
}

/** Custom headers often carry credentials, so the log shows `***` in place of their values. */
function maskHeaders(headers: readonly string[], masked: ReadonlySet<string>): readonly string[] {
  if (masked.size === 0) return headers;
  return headers.map((text, index) => {
    const name = headers[index - 1];
    return index % 2 === 1 && name !== undefined && masked.has(name.toLowerCase()) ? "***" : text;
  });
}
