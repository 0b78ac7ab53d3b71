import { createHmac, createSecretKey, type KeyObject } from "node:crypto";

/** One event as it is sent: the same bytes on every attempt. */
export interface OutgoingEvent {
  id: string;
  body: Uint8Array;
}

const secretPattern = /^whsec_([A-Za-z0-9+/]{43}=)$/;

/** Reads `whsec_` + base64 of 32 bytes. The error never repeats the text: it may be a secret. */
export function parseSecret(text: string): KeyObject {
  const [, encoded] = secretPattern.exec(text) ?? [];
  if (encoded === undefined) {
    throw new Error("A webhook secret must be whsec_ followed by the base64 of 32 bytes.");
  }
  return createSecretKey(encoded, "base64");
}

/** HMAC-SHA-256 over the bytes of `<id>.<timestamp>.<raw body>`. */
export function sign(key: KeyObject, timestamp: number, { id, body }: OutgoingEvent): Buffer {
  return createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
}
