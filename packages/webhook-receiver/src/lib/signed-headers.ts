import { readHeader, type WebhookHeaders } from "./headers.ts";
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
  const signature = readHeader(headers, "svc-webhook-signature");
  if (id.length > 128 || !idForm.test(id)) {
    throw new WebhookError("malformed_id", "svc-webhook-id is not 1 to 128 letters, digits, - or _.");
  }
  if (!timestampForm.test(timestamp)) {
    throw new WebhookError(
      "malformed_timestamp",
      "svc-webhook-timestamp is not a whole number of Unix seconds.",
    );
  }
  return {
    id,
    timestamp: Number(timestamp),
    prefix: `${id}.${timestamp}.`,
    signatures: isSignature(signature) ? [signature] : parseSignatures(signature),
  };
}

/** Schemes other than `v1` are ignored, so that a new one can be introduced beside it. */
function parseSignatures(header: string): string[] {
  const ours = header
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part.startsWith("v1="));
  if (ours.length === 0 || !ours.every(isSignature)) {
    throw new WebhookError(
      "malformed_signature",
      "svc-webhook-signature is not v1= and 64 lower-case hexadecimal digits.",
    );
  }
  return ours;
}

/** Both ends of the window belong to it. A clock that answers nonsense refuses everything. */
export function checkTimestamp(timestamp: number, nowMs: number, toleranceSeconds: number): void {
  const age = nowMs / 1000 - timestamp;
  if (age >= -toleranceSeconds && age <= toleranceSeconds) return;
  const late = !(age < 0);
  throw new WebhookError(
    late ? "timestamp_too_old" : "timestamp_in_future",
    `svc-webhook-timestamp is ${Math.abs(Math.round(age))} seconds ${late ? "behind" : "ahead of"} this machine's clock.`,
    `At most ${toleranceSeconds} are accepted: check the clock.`,
  );
}
