import { concatenate, encoder } from "./captured-request.ts";
import { hexOf } from "./encodings.ts";

/** HMAC-SHA-256 of the prefix and the body with one key, as lower-case hexadecimal digits. */
export type Signer = (prefix: string, body: Uint8Array) => Promise<string>;

export function signerWith(bytes: Uint8Array<ArrayBuffer>): Signer {
  const key = crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return async (prefix, body) => {
    const head = encoder.encode(prefix);
    const content = concatenate([head, body], head.length + body.length);
    const digest = await crypto.subtle.sign("HMAC", await key, content);
    return hexOf(new Uint8Array(digest));
  };
}

/** Compares two texts of the same length in constant time. */
export function equal(a: string, b: string): boolean {
  let difference = 0;
  for (let at = 0; at < a.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
}
