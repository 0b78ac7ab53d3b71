import { maxWebhookAttempts, nextAttemptAt } from "@querybell/domain";
import type { Attempt } from "../send/attempt.ts";
import { describeOutcome, outcomeClass } from "../send/outcome.ts";
import type { ClaimedDelivery } from "./claim.ts";
import type { SigningSecret } from "./endpoints.ts";

/** One attempt as it is written down. */
export interface OutcomeRecord {
  /** Attempts are numbered as they end. */
  position: number;
  deliveryId: string;
  number: number;
  /** What becomes of the delivery, unless somebody has decided about it meanwhile. */
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
  /** As JSON: names and values in turn. */
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

interface Ended {
  position: number;
  delivery: ClaimedDelivery;
  attempt: Attempt;
  endedAt: Date;
  /** Which signed it, with the endpoint as it was sent to. */
  secret: SigningSecret;
  customHeaders: ReadonlySet<string>;
  random: () => number;
}

export function toOutcomeRecord(ended: Ended): OutcomeRecord {
  const { position, delivery, attempt, endedAt, secret, customHeaders, random } = ended;
  const { outcome, response, timings } = attempt;
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
    startedAt: attempt.startedAt,
    endedAt,
    url: secret.prepared.url,
    address: attempt.address,
    reusedConnection: attempt.reusedConnection,
    requestHeaders: JSON.stringify(maskCustomHeaders(attempt.headers, customHeaders)),
    secretId: secret.id,
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

/** Custom headers often carry credentials, which a log must not. */
function maskCustomHeaders(headers: readonly string[], custom: ReadonlySet<string>): readonly string[] {
  if (custom.size === 0) return headers;
  return headers.map((text, index) => {
    const name = headers[index - 1];
    return index % 2 === 1 && name !== undefined && custom.has(name.toLowerCase()) ? "***" : text;
  });
}
