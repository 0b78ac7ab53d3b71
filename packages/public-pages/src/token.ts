import { createHash, randomBytes } from "node:crypto";

const tokenBytes = 24;
/** 24 bytes in base64url: the 32 characters have no spare bits, so each token has one spelling. */
const tokenPattern = /^[A-Za-z0-9_-]{32}$/;

const hash = (token: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createHash("sha256").update(token).digest());

/** A token for an address, and what is stored of it: a plain hash, since 192 random bits cannot be guessed. */
export function newPageToken(): { token: string; tokenHash: Uint8Array<ArrayBuffer> } {
  const token = randomBytes(tokenBytes).toString("base64url");
  return { token, tokenHash: hash(token) };
}

/** The hash of a token in an address. Undefined if it is none. */
export const readTokenHash = (text: string): Uint8Array<ArrayBuffer> | undefined =>
  tokenPattern.test(text) ? hash(text) : undefined;
