import { concatenate, encoder } from "./captured-request.ts";

export type WebKey = ReturnType<typeof importKey>;

export const importKey = (bytes: Uint8Array<ArrayBuffer>) =>
  crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);

/** HMAC-SHA-256 of the prefix and the body, as lower-case hexadecimal digits. */
export async function sign(key: WebKey, prefix: string, body: Uint8Array): Promise<string> {
  const head = encoder.encode(prefix);
  const content = concatenate([head, body], head.length + body.length);
  const digest = await crypto.subtle.sign("HMAC", await key, content);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Compares two texts of the same length, in the same time wherever they differ. */
export function equal(a: string, b: string): boolean {
  let difference = 0;
  for (let at = 0; at < a.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
}
