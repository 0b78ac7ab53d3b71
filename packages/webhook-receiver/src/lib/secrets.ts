import { base64Of32Bytes, bytesOfBase64 } from "./encodings.ts";
import { WebhookError } from "./webhook-error.ts";

/** A signing secret with its label and the time it expires. */
export interface LabelledSecret {
  /** `whsec_` and 44 characters of base64, as shown once when it was made. */
  secret: string | undefined;
  /** The `delivery.secretLabel` of deliveries that this secret signed. Default: `secret-1`, `secret-2`, … */
  label?: string;
  /** From this time on the secret is refused. Default: never. */
  expiresAt?: Date;
}

/** One secret or several. `undefined` is refused with a hint: it is what an unset variable gives. */
export type Secrets = string | LabelledSecret | readonly (string | LabelledSecret)[] | undefined;

export interface ParsedSecret {
  label: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

const prefix = "whsec_";

/** The latest time that a Date can represent. */
const endOfTime = new Date(8.64e15);

export function parseSecrets(secrets: Secrets): ParsedSecret[] {
  const given = [secrets].flat();
  return (given.length ? given : [undefined]).map(parseSecret);
}

function parseSecret(given: string | LabelledSecret | undefined, index: number): ParsedSecret {
  const {
    secret,
    label = `secret-${index + 1}`,
    expiresAt = endOfTime,
  } = typeof given === "string" ? { secret: given } : (given ?? { secret: undefined });
  // Plain JavaScript may pass anything.
  const text = String(secret ?? "");
  if (!text) throw malformed(label, "is not set");
  if (/\s/.test(text)) throw malformed(label, "has white space");
  const base64 = text.slice(prefix.length);
  if (!(text.startsWith(prefix) && base64Of32Bytes.test(base64)))
    throw malformed(label, "is not whsec_ and 44 characters of base64");
  // Comparisons with an invalid Date are false.
  if (!(expiresAt instanceof Date && expiresAt <= endOfTime)) {
    throw malformed(label, "has an expiresAt that is no valid Date", "Pass a Date or leave it out.");
  }
  return {
    label,
    bytes: bytesOfBase64(base64),
    expiresAt: expiresAt.getTime(),
  };
}

// Says which secret and what is wrong with it, and never repeats any of its text.
function malformed(label: string, fault: string, hint?: string): WebhookError {
  return new WebhookError(
    "malformed_secret",
    `The secret "${label}" ${fault}.`,
    hint ?? "Set it whole, as it was shown when it was made.",
  );
}
