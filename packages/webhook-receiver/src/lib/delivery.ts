import { parseEvent, type WebhookEvent } from "./event.ts";
import { findHeader, type WebhookHeaders } from "./headers.ts";
import { WebhookError } from "./webhook-error.ts";

/** A delivery whose signature is genuine. */
export interface Delivery {
  /** The event's id: the same in every retry of the event. */
  readonly id: string;
  /** When this attempt was sent, in Unix seconds. */
  readonly timestamp: number;
  /** The label of the secret that matched: when no delivery names the old one any more, it can go. */
  readonly secretLabel: string;
  /** Exactly the bytes that were signed. */
  readonly body: Uint8Array;
  /**
   * A header of this attempt, by its name in any case; what was there several times is joined by commas. Only
   * the id and the timestamp are signed: take no decision by any other.
   */
  header(name: string): string | undefined;
  /** The event inside, parsed when first asked for. Throws `malformed_event`. */
  event(): WebhookEvent;
}

/** The end of every verification: the secret that matched, if one did. */
export function deliveryOf(
  { id, timestamp, body, headers }: Pick<Delivery, "id" | "timestamp" | "body"> & { headers: WebhookHeaders },
  signer: { label: string } | undefined,
): Delivery {
  if (!signer) throw new WebhookError("signature_mismatch", "The signature does not match.");
  let event: WebhookEvent | undefined;
  return {
    id,
    timestamp,
    secretLabel: signer.label,
    body,
    header: (name) => findHeader(headers, name),
    event() {
      event ??= parseEvent(id, body);
      return event;
    },
  };
}
