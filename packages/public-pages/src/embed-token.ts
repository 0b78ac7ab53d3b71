import { createHash, createPublicKey } from "node:crypto";
import { FilterValues, Id, ParameterName, Text } from "@querybell/domain";
import { decodeJwt, decodeProtectedHeader, errors, jwtVerify } from "jose";
import { z } from "zod";

const audience = "querybell-embed";
/** Both are names of the only algorithm that fits an Ed25519 key. */
const algorithms = ["EdDSA", "Ed25519"];
const maxLifetimeSeconds = 24 * 60 * 60;
/** How far ahead the clock of the signer may be. */
const maxSkewSeconds = 60;
const maxTokenCharacters = 12_000;

const Header = z.object({ alg: z.enum(algorithms), kid: Id });

const Claims = z
  .object({
    item: z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("chart"), id: Text.min(1).max(200) }),
      z.strictObject({ kind: z.literal("dashboard"), id: Id }),
    ]),
    locked: FilterValues.default({}),
    open: z.array(ParameterName).max(20, "must be at most 20").default([]),
    iat: z.int(),
    exp: z.int(),
  })
  .refine(({ locked, open }) => open.every((name) => !Object.hasOwn(locked, name)), {
    path: ["open"],
    message: "must not name what is locked",
  })
  .refine(({ iat, exp }) => exp - iat <= maxLifetimeSeconds, {
    path: ["exp"],
    message: "must be at most a day after iat",
  });

/** What a token allows. */
export interface EmbedGrant {
  keyId: string;
  /** A chart has the short id of its permalink. */
  item: { kind: "chart" | "dashboard"; id: string };
  /** Values of filters that the visitor can neither see nor change. */
  locked: Readonly<Record<string, string>>;
  /** Filters that the visitor chooses. */
  open: readonly string[];
  expiresAt: Date;
}

/** With the key that verified it. */
type Verification =
  | { kind: "valid"; publicKey: string; grant: EmbedGrant }
  | { kind: "refused"; reason: string };

interface VerifyOptions {
  /** Finds the public key with this id, as PEM. Undefined if its tokens do not count. */
  findKey: (id: string) => Promise<string | undefined>;
  now: Date;
}

const refused = (reason: string): Verification => ({ kind: "refused", reason });

/**
 * Verifies a token. The key decides on the algorithm, and on the organization: nothing in a token does. The reason of a refusal
 * is for the developer who signs.
 */
export async function verifyEmbedToken(
  token: string,
  { findKey, now }: VerifyOptions,
): Promise<Verification> {
  const header = readHeader(token);
  if (!header)
    return refused("It is no JWT whose header has alg EdDSA and, as kid, the id of an embedding key.");
  const pem = await findKey(header.kid);
  if (pem === undefined) {
    return refused(
      "There is no active embedding key with the id in kid. It may be revoked, embedding may be off, or its service account may be gone.",
    );
  }
  try {
    const { payload } = await jwtVerify(token, createPublicKey(pem), {
      ...{ algorithms, audience, currentDate: now, requiredClaims: ["iat", "exp"] },
    });
    const claims = Claims.safeParse(payload);
    if (!claims.success) return refused(explain(claims.error));
    const { item, locked, open, iat, exp } = claims.data;
    if (iat > now.getTime() / 1000 + maxSkewSeconds) return refused("Its iat is in the future.");
    return {
      kind: "valid",
      publicKey: pem,
      grant: { keyId: header.kid, item, locked, open, expiresAt: new Date(exp * 1000) },
    };
  } catch (error) {
    if (error instanceof errors.JWTExpired) return refused("It has expired.");
    if (error instanceof errors.JWSSignatureVerificationFailed) {
      return refused("Its signature is not of the private key that belongs to this embedding key.");
    }
    if (error instanceof errors.JWTClaimValidationFailed) {
      return refused(
        error.claim === "aud"
          ? `Its aud is not ${audience}.`
          : `Its claim ${error.claim} is missing or wrong.`,
      );
    }
    if (error instanceof errors.JOSEError) return refused("It is no signed JWT.");
    throw error;
  }
}

function readHeader(token: string): z.infer<typeof Header> | undefined {
  if (token.length > maxTokenCharacters) return undefined;
  try {
    return Header.safeParse(decodeProtectedHeader(token)).data;
  } catch {
    return undefined;
  }
}

const explain = ({ issues: [issue] }: z.ZodError): string =>
  `Its claim ${issue?.path.join(".") ?? ""} is wrong: ${issue?.message ?? ""}.`;

/** Reads a token that was verified when it was stored. Whoever runs something for it verifies it again. */
export function readGrant(token: string): EmbedGrant {
  const { kid } = Header.parse(decodeProtectedHeader(token));
  const { item, locked, open, exp } = Claims.parse(decodeJwt(token));
  return { keyId: kid, item, locked, open, expiresAt: new Date(exp * 1000) };
}

const sorted = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));

const sha256 = (value: unknown): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createHash("sha256").update(JSON.stringify(value)).digest());

const scopeOf = ({ keyId, item, locked, open }: EmbedGrant) => [
  ...[keyId, item.kind, item.id, sorted(locked), [...new Set(open)].sort()],
];

/** Equal for tokens that allow the same. */
export const hashScope = (grant: EmbedGrant): Uint8Array<ArrayBuffer> => sha256(scopeOf(grant));

/** Equal for tokens that allow the same, with the same values of the visitor. Undefined if the token does not allow these. */
export const hashEmbedValues = (
  grant: EmbedGrant,
  given: Readonly<Record<string, string>>,
): Uint8Array<ArrayBuffer> | undefined =>
  Object.keys(given).every((name) => grant.open.includes(name))
    ? sha256([scopeOf(grant), sorted(given)])
    : undefined;

/** An Ed25519 public key as PEM, in its one spelling. Undefined if it is none. */
export function readPublicKey(text: string): string | undefined {
  // `createPublicKey` would also take a private key, which must not be stored.
  const pem = text.trim();
  if (!pem.startsWith("-----BEGIN PUBLIC KEY-----")) return undefined;
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === "ed25519"
      ? key.export({ type: "spki", format: "pem" }).toString()
      : undefined;
  } catch {
    return undefined;
  }
}
