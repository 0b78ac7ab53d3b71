import { createHash, randomBytes } from "node:crypto";

/** Thirty-two random bytes for a link or a key. Only the hash is stored: chance needs no slow hashing. */
export const newSecretToken = (): string => randomBytes(32).toString("base64url");

export const hashToken = (token: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createHash("sha256").update(token).digest());
