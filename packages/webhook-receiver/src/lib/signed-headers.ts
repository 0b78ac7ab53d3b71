import { base64Of32Bytes, bytesOfBase64, hexOf } from "./encodings.ts";
import { hasHeader, readHeader, type WebhookHeaders } from "./headers.ts";
import { WebhookError } from "./webhook-error.ts";

/** The values of the three headers, which are well-formed. */
export interface SignedHeaders {
  id: string;
  /** Unix seconds. */
  timestamp: number;
  /** The header that the timestamp is from. */
  timestampHeader: string;
  /** `<id>.<timestamp>.`: the signed text before the body. */
  prefix: string;
  /** The `v1` signatures, whole: `v1=` and 64 lower-case hexadecimal digits each. */
  signatures: readonly string[];
}

// No dot: the id ends at the first one, so no other id, timestamp and body share these signed bytes.
const idForm = /^[\w-]+$/;
const timestampForm = /^[1-9]\d{0,14}$/;
// Checking the length separately is twice as fast as counting in the expression.
const isSignature = (text: string) => text.length === 67 && /^v1=[0-9a-f]+$/.test(text);

/** A family of headers. Comparing with literal names is much faster than with concatenated ones. */
interface HeaderFamily {
  id: string;
  timestamp: string;
  signature: string;
  parseSignatures(header: string): string[] | undefined;
  signatureForm: string;
}

const ours: HeaderFamily = {
  id: "svc-webhook-id",
  timestamp: "svc-webhook-timestamp",
  signature: "svc-webhook-signature",
  parseSignatures: ourSignatures,
  signatureForm: "v1= and 64 lower-case hexadecimal digits",
};

const standard: HeaderFamily = {
  id: "webhook-id",
  timestamp: "webhook-timestamp",
  signature: "webhook-signature",
  parseSignatures: standardSignatures,
  signatureForm: "v1, and the base64 of 32 bytes",
};

export function parseSignedHeaders(headers: WebhookHeaders): SignedHeaders {
  const names = isStandard(headers) ? standard : ours;
  const id = readHeader(headers, names.id);
  const timestamp = readHeader(headers, names.timestamp);
  const signature = readHeader(headers, names.signature);
  const malformed = (what: "id" | "timestamp" | "signature", form: string) =>
    new WebhookError(`malformed_${what}`, `${names[what]} is not ${form}.`);
  if (id.length > 128 || !idForm.test(id)) throw malformed("id", "1 to 128 letters, digits, - or _");
  if (!timestampForm.test(timestamp)) throw malformed("timestamp", "a whole number of Unix seconds");
  const signatures = names.parseSignatures(signature);
  if (!signatures) throw malformed("signature", names.signatureForm);
  const prefix = `${id}.${timestamp}.`;
  return { id, timestamp: Number(timestamp), timestampHeader: names.timestamp, prefix, signatures };
}

/**
 * The sender may also send the headers of Standard Webhooks, which sign the same bytes. They are used if none
 * of our headers is present: a gateway may forward only those. One is enough, so that an error names the
 * missing ones.
 */
const isStandard = (headers: WebhookHeaders): boolean => !hasAny(headers, ours) && hasAny(headers, standard);

const hasAny = (headers: WebhookHeaders, { id, timestamp, signature }: HeaderFamily): boolean =>
  hasHeader(headers, id) || hasHeader(headers, timestamp) || hasHeader(headers, signature);

/**
 * Ignores schemes other than `v1`, so that a new one can be added. A malformed `v1` makes the header invalid
 * even if another one is right: no sender writes that, so the header was changed in transit.
 */
function ourSignatures(header: string): string[] | undefined {
  if (isSignature(header)) return [header];
  const ours = header
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part.startsWith("v1="));
  return ours.length > 0 && ours.every(isSignature) ? ours : undefined;
}

/** Converts `v1,<base64>`, several separated by spaces, to our form. */
function standardSignatures(header: string): string[] | undefined {
  const encoded = header.split(" ").flatMap((part) => (part.startsWith("v1,") ? part.slice(3) : []));
  if (encoded.length === 0 || !encoded.every((text) => base64Of32Bytes.test(text))) return undefined;
  return encoded.map((text) => `v1=${hexOf(bytesOfBase64(text))}`);
}

/** Both ends of the window are accepted. If the clock returns NaN, everything is refused. */
export function checkTimestamp(
  { timestamp, timestampHeader, now }: Pick<SignedHeaders, "timestamp" | "timestampHeader"> & { now: number },
  toleranceSeconds: number,
): void {
  const age = now / 1000 - timestamp;
  if (Math.abs(age) <= toleranceSeconds) return;
  const early = age < 0;
  throw new WebhookError(
    early ? "timestamp_in_future" : "timestamp_too_old",
    `${timestampHeader} is ${Math.ceil(Math.abs(age))} seconds ${early ? "ahead of" : "behind"} this machine's clock.`,
    `At most ${toleranceSeconds} are accepted: check the clock.`,
  );
}
