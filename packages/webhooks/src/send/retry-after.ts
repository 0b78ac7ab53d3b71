import { isDestinationKind } from "@querybell/domain";
import type { ReceivedResponse } from "./outcome.ts";
import type { Recipient } from "./recipient.ts";

/** Whatever a server asks for: not at once, which would use up the attempts, and not later than this. */
const [minRetryAfterMs, maxRetryAfterMs] = [1_000, 24 * 3_600_000];

/**
 * How long a destination asks us to wait: by its header `Retry-After` after 429 or 503, in seconds or as a date. Undefined
 * if it does not. The waits of webhooks are published, so their endpoints cannot change them.
 */
export function readRetryAfterMs(
  { kind }: Pick<Recipient, "kind">,
  response: ReceivedResponse | undefined,
  now: Date,
): number | undefined {
  if (!isDestinationKind(kind) || (response?.status !== 429 && response?.status !== 503)) return undefined;
  const { "retry-after": value } = response.headers;
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  const waitMs = /^\d{1,9}(?:\.\d{1,9})?$/.test(text)
    ? Math.ceil(Number(text) * 1_000)
    : Date.parse(text) - now.getTime();
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, minRetryAfterMs), maxRetryAfterMs);
}
