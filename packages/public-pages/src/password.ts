import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

/** What RFC 9106 and OWASP recommend for little memory: 19 MiB, two passes. Node computes it outside of the event loop. */
const cost = { parallelism: 1, tagLength: 32, memory: 19_456, passes: 2 };
const compute = promisify((parameters: Argon2Parameters, done: (error: Error | null, key: Buffer) => void) =>
  argon2("argon2id", parameters, done),
);

/** Two spellings of one text have the same hash. */
const toMessage = (password: string): string => password.normalize("NFKC");

/** The hash of a page's password, as it is stored: `argon2id$<salt>$<key>` in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const key = await compute({ ...cost, message: toMessage(password), nonce });
  return ["argon2id", nonce.toString("base64url"), key.toString("base64url")].join("$");
}

export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, salt = "", text = ""] = stored.split("$");
  const expected = Buffer.from(text, "base64url");
  if (expected.length !== cost.tagLength) return false;
  const nonce = Buffer.from(salt, "base64url");
  return timingSafeEqual(await compute({ ...cost, message: toMessage(password), nonce }), expected);
}
