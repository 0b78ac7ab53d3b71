import { hkdfSync, randomBytes } from "node:crypto";

/** A key and its id. Sealed values carry the id, so that they can be opened after a rotation. */
export interface SealingKey {
  id: string;
  secret: Uint8Array;
}

const keyBytes = 32;
const keyIdPattern = /^[a-z0-9]{1,16}$/;
const base64Pattern = /^[A-Za-z0-9+/]{43}=$/;

/** A new random key in the form that `parseKeyring` accepts. */
export function generateKey(id: string): string {
  return `${id}:${randomBytes(keyBytes).toString("base64")}`;
}

/**
 * Parses `id:base64` keys separated by commas or white space. The first one seals; all of them open.
 * To rotate, add a new key in front and keep the old ones until no value is sealed with them any more.
 */
export function parseKeyring(text: string): [SealingKey, ...SealingKey[]] {
  const [first, ...rest] = text
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .map(parseKey);
  if (!first) throw new Error("The keyring is empty. Set at least one key of the form id:base64.");
  const keys: [SealingKey, ...SealingKey[]] = [first, ...rest];
  if (new Set(keys.map((key) => key.id)).size < keys.length) {
    throw new Error("The keyring has the same key id twice. Give every key a different id.");
  }
  return keys;
}

// The messages contain the entry's position, never its text: it may be a secret in the wrong form.
function parseKey(entry: string, index: number): SealingKey {
  const [id = "", encoded = "", ...more] = entry.split(":");
  if (!keyIdPattern.test(id) || more.length > 0) {
    throw new Error(
      `Key ${index + 1} of the keyring is not of the form id:base64 (id: 1 to 16 of a-z, 0-9).`,
    );
  }
  if (!base64Pattern.test(encoded)) {
    throw new Error(
      `Key ${index + 1} of the keyring must be an id, a colon, and the base64 of ${keyBytes} random bytes.`,
    );
  }
  return { id, secret: Buffer.from(encoded, "base64") };
}

/** Derives an independent secret for another use, such as signing cookies (HKDF with SHA-256). */
export const deriveSecret = ({ secret }: SealingKey, use: string): string =>
  Buffer.from(hkdfSync("sha256", secret, "", use, 32)).toString("base64url");
