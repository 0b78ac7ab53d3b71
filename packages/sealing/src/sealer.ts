import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from "node:crypto";
import type { SealingKey } from "./keyring.ts";

/** The value was not sealed by us, was changed, was sealed for another purpose, or its key is not in the keyring. */
export class UnsealError extends Error {
  override readonly name = "UnsealError";
}

export interface Sealer {
  /** The ids of the keys in the keyring. */
  keyIds: readonly string[];
  /** `purpose` is authenticated: a value that is sealed for one purpose cannot be opened for another. */
  seal(purpose: string, plain: Uint8Array): string;
  /** Throws `UnsealError`. */
  open(purpose: string, sealed: string): Uint8Array;
}

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;
const envelope = /^([a-z0-9]{1,16})\.([A-Za-z0-9_-]+)$/;

/**
 * The sealed text is `<key id>.<base64url of nonce, ciphertext, tag>`: AES-256-GCM with a random nonce.
 * A random 96-bit nonce is safe for about four billion values under one key; rotate long before.
 */
export function createSealer(keyring: readonly [SealingKey, ...SealingKey[]]): Sealer {
  // Created once: a cipher takes three times as long with a key as plain bytes.
  const [current, ...others] = keyring.map(({ id, secret }) => ({ id, secret: createSecretKey(secret) }));
  if (!current) throw new Error("The keyring is empty.");
  const byId = new Map([current, ...others].map((key) => [key.id, key]));

  return {
    keyIds: [...byId.keys()],

    seal(purpose, plain) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, current.secret, nonce, { authTagLength: tagBytes });
      cipher.setAAD(additionalData(current.id, purpose));
      const body = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
      return `${current.id}.${body.toString("base64url")}`;
    },

    open(purpose, sealed) {
      const [, keyId = "", encoded = ""] = envelope.exec(sealed) ?? [];
      const key = byId.get(keyId);
      const body = Buffer.from(encoded, "base64url");
      // Node ignores invalid and unused bits. Each value must have one spelling, or a changed text could still open.
      const canonical = body.toString("base64url") === encoded;
      if (!key || !canonical || body.length < nonceBytes + tagBytes) {
        throw new UnsealError("This value cannot be opened.");
      }
      const decipher = createDecipheriv(algorithm, key.secret, body.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      });
      decipher.setAAD(additionalData(keyId, purpose));
      decipher.setAuthTag(body.subarray(-tagBytes));
      const opened = decipher.update(body.subarray(nonceBytes, -tagBytes));
      try {
        return Buffer.concat([opened, decipher.final()]);
      } catch (cause) {
        throw new UnsealError("This value cannot be opened.", { cause });
      }
    },
  };
}

// The key id has no dot, so two different pairs never join into the same text.
const additionalData = (keyId: string, purpose: string) => Buffer.from(`${keyId}.${purpose}`);
