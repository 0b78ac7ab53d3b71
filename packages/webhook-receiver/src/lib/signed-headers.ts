import { headerReader, type WebhookHeaders } from "./headers.ts";
import { WebhookError } from "./webhook-error.ts";

/** What the three headers say, once their form is known to be right. */
export interface SignedHeaders {
  id: string;
  /** Unix seconds. */
  timestamp: number;
  /** `<id>.<timestamp>.`: what is signed in front of the body. */
  prefix: string;
  /** The `v1` signatures: 64 lower-case hexadecimal digits each. */
  signatures: readonly string[];
}

// No dot: the id ends at the first one, so no other id, timestamp and body share these signed bytes.
const idForm = /^[\w-]{1,128}$/;
const timestampForm = /^[1-9]\d{0,11}$/;
const signatureForm = /^v1=[0-9a-f]{64}$/;

export function parseSignedHeaders(headers: WebhookHeaders): SignedHeaders {
  const read = headerReader(headers);
  const id = read("svc-webhook-id");
  const timestamp = read("svc-webhook-timestamp");
  const signature = read("svc-webhook-signature");
  if (!idForm.test(id)) {
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
    signatures: signatureForm.test(signature) ? [signature.slice(3)] : parseSignatures(signature),
  };
}

/** Schemes other than `v1` are ignored, so that a new one can be introduced beside it. */
function parseSignatures(header: string): string[] {
  const ours = header
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part.startsWith("v1="));
  if (ours.length === 0 || !ours.every((part) => signatureForm.test(part))) {
    throw new WebhookError(
      "malformed_signature",
      "svc-webhook-signature is not v1= and 64 lower-case hexadecimal digits.",
    );
  }
  return ours.map((part) => part.slice(3));
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
