import { hash, randomBytes } from "node:crypto";

/** 32 random bytes for a link or a key. Stored as a plain SHA-256: random tokens need no slow password hash. */
export const newSecretToken = (): string => randomBytes(32).toString("base64url");

export const hashToken = (token: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(hash("sha256", token, "buffer"));
