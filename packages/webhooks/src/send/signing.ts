import { createHmac, type KeyObject } from "node:crypto";

/** An event as it is sent. Every attempt sends the same bytes. */
export interface OutgoingEvent {
  id: string;
  body: Uint8Array;
}

/** HMAC-SHA-256 over the bytes of `<id>.<timestamp>.<raw body>`. */
export function sign(key: KeyObject, timestamp: number, { id, body }: OutgoingEvent): Buffer {
  return createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
}
