import { bodyMutations } from "./body-mutations.ts";
import type { ParsedSecret } from "./secrets.ts";
import type { WebhookError, WebhookErrorCode } from "./webhook-error.ts";

/** A refused request. Imports nothing from the core, so that the diagnosis can be loaded separately. */
export interface Refusal {
  error: unknown;
  WebhookError: typeof WebhookError;
  candidate: { timestamp: number; now: number; body: Uint8Array };
  secrets: readonly ParsedSecret[];
  /** Whether one of the signatures matches this body and key. */
  matches(key: Uint8Array<ArrayBuffer>, body: Uint8Array): boolean | Promise<boolean>;
  /** Larger bodies are not diagnosed. Default: 16 KiB. */
  largestDiagnosed?: number;
}

/** Returns the same error with a hint that says what to do. Other errors are returned unchanged. */
export async function diagnose(refusal: Refusal): Promise<unknown> {
  const { error, WebhookError, candidate } = refusal;
  if (!(error instanceof WebhookError)) return error;
  const { now } = candidate;
  return Number.isFinite(now)
    ? new WebhookError(error.code, error.message, await hintFor(error.code, refusal))
    : new WebhookError(
        error.code,
        "The clock of this receiver answers no finite number.",
        `The option clock answered ${now}: let it answer milliseconds since the epoch, as Date.now does.`,
      );
}

// Anybody can send a bad signature, so the diagnosis must be cheap. Every check takes time linear in the size
// of the body: a few milliseconds at most for this many bytes. Our events are far smaller.
const cheapToDiagnose = 16 * 1024;

/** Finds the cause of a refusal by trying common mistakes. */
async function hintFor(code: WebhookErrorCode, refusal: Refusal): Promise<string> {
  const { candidate, secrets, largestDiagnosed = cheapToDiagnose } = refusal;
  const { timestamp, body } = candidate;
  const signer = await signerOf(refusal, body);
  if (code === "timestamp_too_old" || code === "timestamp_in_future") {
    return timestampHint(code, timestamp, signer);
  }
  if (signer)
    return `It was signed with "${signer.label}", which has expired: the sender still uses that secret.`;

  if (body.length > largestDiagnosed) {
    return (
      "The body is over 16 KiB, so the cause was not looked for: find it with a smaller event, " +
      "or capture the request and run `npx @querybell/webhook-receiver explain`."
    );
  }
  for (const { cause, original } of bodyMutations(body)) {
    if (await signerOf(refusal, original)) {
      return `${cause} Verify the raw bytes, before anything reads, parses or rewrites them.`;
    }
  }
  for (const { label, bytes } of secrets) {
    for (const key of textKeys(bytes)) {
      if (await refusal.matches(key, body)) {
        return `The key was the text of "${label}": sign with the bytes that the base64 after whsec_ stands for.`;
      }
    }
  }
  return `${unexplained(body)} Secrets tried: ${secrets.map(({ label }) => label).join(", ")}.`;
}

function timestampHint(code: WebhookErrorCode, timestamp: number, signer: ParsedSecret | undefined): string {
  if (timestamp > 1e11) return "The timestamp looks like milliseconds; it must be Unix seconds.";
  if (!signer) return "The signature does not match either, so this is not a delivery for this secret.";
  return code === "timestamp_in_future"
    ? "The signature is genuine, so this machine's clock is behind: synchronize it (NTP)."
    : "The signature is genuine, so this machine's clock is ahead (NTP), or the request was held back or replayed.";
}

function unexplained(body: Uint8Array): string {
  const text = decode(body);
  if (text === undefined) return "The body is not UTF-8: it was encoded again, or compressed.";
  if (text === "") return "The body is empty: something has read it before.";
  if (text === "[object Object]") return "The body was parsed, and the object turned into a string.";
  if (text.includes("\ufffd"))
    return "The body has replacement characters (U+FFFD): its bytes were decoded as text.";
  return "No usual change of the body explains it, so most likely the secret is another endpoint's.";
}

function decode(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}

/** The secret that signed this body, even if it has expired. */
async function signerOf({ secrets, matches }: Refusal, body: Uint8Array): Promise<ParsedSecret | undefined> {
  for (const secret of secrets) {
    if (await matches(secret.bytes, body)) return secret;
  }
  return undefined;
}

function textKeys(bytes: Uint8Array): Uint8Array<ArrayBuffer>[] {
  const base64 = btoa(String.fromCharCode(...bytes));
  return [`whsec_${base64}`, base64].map((text) => new TextEncoder().encode(text));
}
