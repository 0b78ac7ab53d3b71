import { WebhookError } from "../lib/webhook-error.ts";

/** The secrets of `--secret`, or of the environment. */
export function secretsOf(given: readonly string[] | undefined): [string, ...string[]] {
  const [first = process.env.WEBHOOK_SECRET, ...rest] = given ?? [];
  if (first) return [first, ...rest];
  throw new WebhookError(
    "malformed_secret",
    "There is no secret.",
    "Pass --secret whsec_…, or set WEBHOOK_SECRET.",
  );
}
