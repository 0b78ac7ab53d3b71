import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { z } from "zod";

// The one definition of a secret's text for our own code: `whsec_` and the base64 of 32 bytes. It is as strict as the
// receiver kit's, which has its own because it is published without dependencies; secret-text.test.ts compares them.

const prefix = "whsec_";
const encodedLength = 44;
// The last digit of 32 bytes in base64 has two unused bits, which must be zero: each value has one spelling.
const base64Of32Bytes = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;

export const createSecretText = (): string => `${prefix}${randomBytes(32).toString("base64")}`;

/** Throws if the text is not a secret. The error never repeats the text: it may be a secret. */
export function parseSecret(text: string): KeyObject {
  if (findSecretFlaw(text)) {
    throw new Error("A webhook secret must be whsec_ followed by the base64 of 32 bytes.");
  }
  return createSecretKey(text.slice(prefix.length), "base64");
}

/** From 24 to 64 bytes. */
const maxSubscriptionSecret = prefix.length + 88;

const withoutPadding = (base64: string): string => base64.replace(/={1,2}$/, "");

/** The secret of a subscription over MCP, which its program has chosen: 24 to 64 bytes. Undefined if it is none. */
export function parseSubscriptionSecret(text: string): KeyObject | undefined {
  if (!text.startsWith(prefix) || text.length > maxSubscriptionSecret) return undefined;
  const encoded = text.slice(prefix.length);
  const bytes = Buffer.from(encoded, "base64");
  // Programs of other languages may leave out the padding.
  const isBase64 = withoutPadding(bytes.toString("base64")) === withoutPadding(encoded);
  return isBase64 && bytes.length >= 24 && bytes.length <= 64 ? createSecretKey(bytes) : undefined;
}

/** Why a text is not a secret, as a code and as a sentence that says what to do. */
interface SecretFlaw {
  reason: "empty" | "surrounded" | "no_prefix" | "too_short" | "too_long" | "not_base64";
  sentence: string;
}

/** Undefined if the text is a secret. The sentence never repeats the text. */
export function findSecretFlaw(text: string): SecretFlaw | undefined {
  const flaw = flaws.find(({ applies }) => applies(text));
  return flaw && { reason: flaw.reason, sentence: flaw.sentence };
}

/** Only the first that applies is reported: the later ones often follow from it. */
const flaws: (SecretFlaw & { applies: (text: string) => boolean })[] = [
  {
    reason: "empty",
    sentence: "The secret is empty. Check that your receiver reads the setting.",
    applies: (text) => text.trim() === "",
  },
  {
    reason: "surrounded",
    sentence: "There are spaces, line ends or quotes around the secret. Remove them.",
    applies: (text) => /^[\s"']|[\s"']$/.test(text),
  },
  {
    reason: "no_prefix",
    sentence: `The secret does not begin with ${prefix}. Copy it whole, with its prefix.`,
    applies: (text) => !text.startsWith(prefix),
  },
  {
    reason: "too_short",
    sentence: `The secret is too short: ${encodedLength} characters must follow ${prefix}. Copy it whole, with the = at its end.`,
    applies: (text) => text.length < prefix.length + encodedLength,
  },
  {
    reason: "too_long",
    sentence: `The secret is too long: ${encodedLength} characters must follow ${prefix}. Remove what comes after them.`,
    applies: (text) => text.length > prefix.length + encodedLength,
  },
  {
    reason: "not_base64",
    sentence: `What follows ${prefix} is not the base64 of 32 bytes. A character may have been changed, often + or /. Copy it again.`,
    applies: (text) => !base64Of32Bytes.test(text.slice(prefix.length)),
  },
];

/** The part of a sealer of `@querybell/sealing` that is needed here. */
interface Sealer {
  seal(purpose: string, plain: Uint8Array): string;
  open(purpose: string, sealed: string): Uint8Array;
}
export type Unsealer = Pick<Sealer, "open">;

// The purpose contains the endpoint: a value that is sealed for one endpoint cannot be opened for another.
const secretPurpose = (endpointId: string) => `webhook secret of ${endpointId}`;
const headersPurpose = (endpointId: string) => `webhook headers of ${endpointId}`;

const Headers = z.record(z.string(), z.string());

export const sealSecret = (sealer: Sealer, endpointId: string, secret: string): string =>
  sealer.seal(secretPurpose(endpointId), Buffer.from(secret));

export const openSecret = (sealer: Unsealer, endpointId: string, sealed: string): string =>
  Buffer.from(sealer.open(secretPurpose(endpointId), sealed)).toString();

export const sealHeaders = (sealer: Sealer, endpointId: string, headers: Record<string, string>): string =>
  sealer.seal(headersPurpose(endpointId), Buffer.from(JSON.stringify(headers)));

export const openHeaders = (sealer: Unsealer, endpointId: string, sealed: string): Record<string, string> =>
  Headers.parse(JSON.parse(Buffer.from(sealer.open(headersPurpose(endpointId), sealed)).toString()));
