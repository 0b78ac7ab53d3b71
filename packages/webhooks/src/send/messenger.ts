import type { Clock } from "@querybell/domain";
import type { AttemptResult } from "./outcome.ts";
import type { Recipient } from "./recipient.ts";
import { attemptWithoutRequest } from "./sender.ts";

/** A destination as the pump knows it. */
export interface MessageRecipient extends Recipient {
  id: string;
  address: string | undefined;
}

/** A delivery whose event becomes a message. */
export interface DeliveredEvent {
  eventId: string;
  kind: "normal" | "resend" | "recovery" | "test";
  body: Uint8Array;
}

/** Makes messages of events and sends them to destinations of automations. */
export interface Messenger {
  /** Makes one attempt. Never rejects: a failure is the outcome of the result. */
  send(recipient: MessageRecipient, delivery: DeliveredEvent): Promise<AttemptResult>;
}

/** For pumps that are started without one. */
export const createMissingMessenger = (clock: Clock): Messenger => ({
  send: async () => attemptWithoutRequest({ kind: "sender_failure", code: "NO_MESSENGER" }, clock.now()),
});
