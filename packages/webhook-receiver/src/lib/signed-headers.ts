import { readHeader, signatureHeader, type WebhookHeaders } from "./headers.ts";
import { WebhookError } from "./webhook-error.ts";

/** What the three headers say, once their form is known to be right. */
export interface SignedHeaders {
  id: string;
  /** Unix seconds. */
  timestamp: number;
  /** `<id>.<timestamp>.`: what is signed in front of the body. */
  prefix: string;
  /** The `v1` signatures, whole: `v1=` and 64 lower-case hexadecimal digits each. */
  signatures: readonly string[];
}

// No dot: the id ends at the first one, so no other id, timestamp and body share these signed bytes.
const idForm = /^[\w-]+$/;
const timestampForm = /^[1-9]\d{0,14}$/;
// Checking the length apart is twice as fast as counting in the expression.
const isSignature = (text: string) => text.length === 67 && /^v1=[0-9a-f]+$/.test(text);

export function parseSignedHeaders(headers: WebhookHeaders): SignedHeaders {
  const id = readHeader(headers, "svc-webhook-id");
  const timestamp = readHeader(headers, "svc-webhook-timestamp");
  const signature = readHeader(headers, signatureHeader);
  if (id.length > 128 || !idForm.test(id)) throw malformed("id", "1 to 128 letters, digits, - or _");
  if (!timestampForm.test(timestamp)) throw malformed("timestamp", "a whole number of Unix seconds");
  return {
    id,
    timestamp: Number(timestamp),
    prefix: `${id}.${timestamp}.`,
    signatures: isSignature(signature) ? [signature] : parseSignatures(signature),
  };
}

/**
 * Schemes other than `v1` are ignored, so that a new one can be introduced beside it. A `v1` in the wrong form
 * refuses the header even beside a right one: no sender writes that, so something has changed it on its way.
 */
function parseSignatures(header: string): string[] {
  const ours = header
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part.startsWith("v1="));
  if (ours.length === 0 || !ours.every(isSignature)) {
    throw malformed("signature", "v1= and 64 lower-case hexadecimal digits");
  }
  return ours;
}

const malformed = (what: "id" | "timestamp" | "signature", form: string) =>
  new WebhookError(`malformed_${what}`, `svc-webhook-${what} is not ${form}.`);

/** Both ends of the window belong to it. A clock that answers nonsense refuses everything. */
export function checkTimestamp(
  { timestamp, now }: { timestamp: number; now: number },
  toleranceSeconds: number,
): void {
  const age = now / 1000 - timestamp;
  if (Math.abs(age) <= toleranceSeconds) return;
  const early = age < 0;
  throw new WebhookError(
    early ? "timestamp_in_future" : "timestamp_too_old",
    `svc-webhook-timestamp is ${Math.ceil(Math.abs(age))} seconds ${early ? "ahead of" : "behind"} this machine's clock.`,
    `At most ${toleranceSeconds} are accepted: check the clock.`,
  );
}
