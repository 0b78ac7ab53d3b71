import type { GivenWebhookSecret, WebhookSecret } from "@querybell/domain";

type Explanation = Pick<GivenWebhookSecret, "reason" | "sentence">;

/**
 * Explains what a given secret is to an endpoint. `matches`: it signed the attempt. `known`: the endpoint's secret
 * that equals it, if there is one.
 */
export function explainSecret(matches: boolean, known: WebhookSecret | undefined): Explanation {
  if (matches) {
    return {
      reason: "signed_this",
      sentence:
        "This secret signed the attempt. If your receiver still refuses it, compare the signed bytes.",
    };
  }
  switch (known?.state) {
    case "next":
      return {
        reason: "next",
        sentence: `This secret signs from ${known.signsFrom} on. Accept the present one until then.`,
      };
    case "signing":
      return {
        reason: "newer",
        sentence:
          "This secret signs now, but an older one signed the attempt. Resend the delivery: it is signed with this one.",
      };
    case "expired":
      return {
        reason: "replaced",
        sentence: `${describeExpiry(known)} Give your receiver the newer one.`,
      };
    default:
      return {
        reason: "unknown",
        sentence:
          "This secret does not belong to this endpoint. Check whether it is another endpoint's. If the right one is lost, rotate.",
      };
  }
}

const describeExpiry = ({ signsFrom, expiresAt }: WebhookSecret): string =>
  expiresAt !== null && new Date(expiresAt) <= new Date(signsFrom)
    ? `This secret was withdrawn at ${expiresAt}, before it signed anything.`
    : `This secret was replaced. It signed until ${expiresAt}.`;
