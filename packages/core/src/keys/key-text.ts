import { randomBytes, timingSafeEqual } from "node:crypto";
import { hashToken } from "../identity/secret-token.ts";

const keyText = /^qb_([0-9a-z]{12})_([A-Za-z0-9_-]{43})$/;

/** `qb_<prefix>_<secret>`. The prefix identifies the key and is not secret. The secret is stored as a hash. */
export function newKeyText() {
  const prefix = randomBytes(8).readBigUInt64BE().toString(36).padStart(12, "0").slice(-12);
  const secret = randomBytes(32).toString("base64url");
  return { text: `qb_${prefix}_${secret}`, prefix, secretHash: hashToken(secret) };
}

export function parseKeyText(text: string): { prefix: string; secret: string } | undefined {
  const [, prefix, secret] = keyText.exec(text) ?? [];
  return prefix && secret ? { prefix, secret } : undefined;
}

export const matchesHash = (secret: string, secretHash: Uint8Array): boolean =>
  timingSafeEqual(hashToken(secret), secretHash);
