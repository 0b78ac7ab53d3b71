import { parseEvent, type WebhookEvent } from "./event.ts";

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
  /** The event inside, parsed when first asked for. Throws `malformed_event`. */
  event(): WebhookEvent;
}

export class VerifiedDelivery implements Delivery {
  readonly id: string;
  readonly timestamp: number;
  readonly secretLabel: string;
  readonly body: Uint8Array;
  #event: WebhookEvent | undefined;

  constructor(verified: Pick<Delivery, "id" | "timestamp" | "body">, secretLabel: string) {
    this.id = verified.id;
    this.timestamp = verified.timestamp;
    this.body = verified.body;
    this.secretLabel = secretLabel;
  }

  event(): WebhookEvent {
    this.#event ??= parseEvent(this.id, this.body);
    return this.#event;
  }
}
