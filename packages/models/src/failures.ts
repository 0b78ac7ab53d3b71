import { APICallError } from "@ai-sdk/provider";
import { RefusedUrlError } from "./guarded-fetch.ts";
import type { ModelAnswer } from "./stream-answer.ts";

/** The message of the server or of the connection. Never the request, which contains data. */
export function describeError(error: unknown, apiKey: string | null): string {
  if (
    typeof error === "object" &&
    error !== null &&
    "message" in error &&
    typeof error.message === "string"
  ) {
    return redact(error.message, apiKey);
  }
  return "The answer broke off.";
}

interface FailureContext {
  clock: { now(): Date };
  /** Whether the server is in a private network. */
  isPrivate: boolean;
  apiKey: string | null;
}

/** Converts an error before or during an answer to a result for the caller. */
export function toFailure(error: unknown, { clock, isPrivate, apiKey }: FailureContext): ModelAnswer {
  const refusal = causesOf(error).find((cause) => cause instanceof RefusedUrlError);
  if (refusal) {
    return { kind: "failed", reason: refusal.message, isRetryable: false, retryAfterMs: undefined };
  }
  const answered = APICallError.isInstance(error) && error.statusCode !== undefined ? error : undefined;
  // The error must not tell the person who chose the URL what else is in the operator's networks.
  const isWithheld = isPrivate && answered?.data === undefined;
  if (!answered) {
    const reason = isWithheld ? withheld : describeError(rootOf(error), apiKey);
    return { kind: "failed", reason, isRetryable: true, retryAfterMs: undefined };
  }
  const { statusCode = 0, responseHeaders = {} } = answered;
  const isRetryable = statusCode === 408 || statusCode === 429 || statusCode >= 500 || statusCode < 300;
  const reason = isWithheld ? withheld : `It answered ${statusCode}: ${describeError(answered, apiKey)}`;
  if (!isRetryable) return { kind: "refused", reason };
  const retryAfterMs = parseRetryAfter(responseHeaders["retry-after"], clock);
  return { kind: "failed", reason, isRetryable, retryAfterMs };
}

const withheld = "No model answers there.";

function* causesOf(error: unknown): Generator<unknown> {
  for (let at = error, depth = 0; at !== undefined && depth < 5; depth++) {
    yield at;
    at = at instanceof Error ? at.cause : undefined;
  }
}

const rootOf = (error: unknown): unknown => [...causesOf(error)].at(-1);

/** The milliseconds of a `retry-after` header: seconds, or a date. Undefined if it is absent or invalid. */
function parseRetryAfter(text: string | undefined, clock: { now(): Date }): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1000;
  // Date.parse also accepts "1.5" and "-1".
  const at = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - clock.now().getTime());
}

/** Patterns of API keys in servers' messages, with the word before the key. */
const keys = [/\b(?:bearer|basic)\s+\S+/gi, /\b(?:sk|pk|rk|key|token|secret|api)[-_][\w*.…-]{4,}/gi];

const dots = /[。｡․﹒ꓸ‧⸱۔]/gu;
const around = /^[("'<[{,;:.!?]+|(?<![)"'>\]},;:.!?])[)"'>\]},;:.!?]+$/g;
/** Patterns of addresses. No ordinary word matches them. */
const addresses = [
  /[@=\\]|:\/\/|\/\/|::|^\/|%[\da-f]{2}/i,
  /[^\s.]\.[\p{L}\p{M}]{2}/u,
  /[[({](?:\.|dot)[\])}]/,
  /\d\.\d+\.\d+\.\d/,
  /^localhost\b/i,
  /:\d{2,5}(?:\/|$)|^(?:mailto|tel|sms|data|javascript):/i,
];
const time = /^\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/;

const maxLength = 300;
/** A substring of the key of this length is taken for a part of the key. */
const keyPart = 6;

/** Prepares a server's text for display: on one line, without keys, addresses and invisible characters. */
export function redact(text: string, apiKey: string | null): string {
  let shown = text.slice(0, 2_000).replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");
  if (apiKey !== null && apiKey !== "") shown = withoutKey(shown, apiKey);
  for (const key of keys) shown = shown.replaceAll(key, hidden);
  return shown
    .split(" ")
    .map((word) => (isForPeople(word) ? word : hidden))
    .join(" ")
    .slice(0, maxLength);
}

function isForPeople(word: string): boolean {
  const plain = word.replaceAll(hidden, "").normalize("NFKC").replaceAll(dots, ".").replaceAll(around, "");
  if (addresses.some((form) => form.test(plain)) && !time.test(plain)) return false;
  // A long word with digits is probably a key or an id.
  return !(/[\w+/=*-]{20,}/.test(plain) && /\d/.test(plain));
}

/** Removes the key, and parts of it: some servers write keys shortened. */
function withoutKey(text: string, apiKey: string): string {
  const [lower, key] = [toLower(text), toLower(apiKey)];
  const length = Math.min(keyPart, key.length);
  const parts = new Set(
    Array.from({ length: key.length - length + 1 }, (_, at) => key.slice(at, at + length)),
  );
  let shown = "";
  for (let at = 0; at < text.length; ) {
    let end = at;
    for (let next = at; next <= end && parts.has(lower.slice(next, next + length)); next++)
      end = next + length;
    shown += end > at ? hidden : text.charAt(at);
    at = Math.max(end, at + 1);
  }
  return shown;
}

/** Lower-cases only ASCII, so that the length does not change. */
const toLower = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

const hidden = "[removed]";
