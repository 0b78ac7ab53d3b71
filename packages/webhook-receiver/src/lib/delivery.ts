import { parseEvent, type WebhookEvent } from "./event.ts";
import { findHeader, type WebhookHeaders } from "./headers.ts";
import { WebhookError } from "./webhook-error.ts";

/** A delivery whose signature is genuine. */
export interface Delivery {
  /** The event's id: the same in every retry of the event. */
  readonly id: string;
  /** When this attempt was sent, in Unix seconds. */
  readonly timestamp: number;
  /** The label of the secret that matched. Once no delivery has the old secret's label, it can be removed. */
  readonly secretLabel: string;
  /** Exactly the bytes that were signed. */
  readonly body: Uint8Array;
  /**
   * A header of this attempt, by its name in any case. Repeated values are joined by commas. Only the id and
   * the timestamp are signed: do not trust any other header.
   */
  header(name: string): string | undefined;
  /** The event, parsed at the first call. Throws `malformed_event`. */
  event(): WebhookEvent;
}

/** The last step of every verification. `signer` is the secret that matched, if one did. */
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
