import type { GivenWebhookSecret, WebhookSecret } from "@querybell/domain";

type Verdict = Pick<GivenWebhookSecret, "reason" | "sentence">;

/** Why a text is no secret at all; undefined when it can be read. The sentence never repeats the text. */
export function whyUnreadable(text: string): Verdict | undefined {
  const flaw = unreadable.find(({ applies }) => applies(text));
  return flaw && { reason: flaw.reason, sentence: flaw.sentence };
}

const prefix = "whsec_";
const encodedLength = 44;

/** The first that applies is the one to mend first. */
const unreadable: (Verdict & { applies: (text: string) => boolean })[] = [
  {
    reason: "empty",
    sentence: "There is nothing in it. Is the setting of your receiver read at all?",
    applies: (text) => text.trim() === "",
  },
  {
    reason: "surrounded",
    sentence: "There are spaces, line ends or quotes around it. Remove them.",
    applies: (text) => /^[\s"']|[\s"']$/.test(text),
  },
  {
    reason: "no_prefix",
    sentence: `It does not begin with ${prefix}. Copy it whole, with its prefix.`,
    applies: (text) => !text.startsWith(prefix),
  },
  {
    reason: "too_short",
    sentence: `It is cut short: ${encodedLength} characters follow ${prefix} in a whole one. Copy it whole, with the = at its end.`,
    applies: (text) => text.length < prefix.length + encodedLength,
  },
  {
    reason: "too_long",
    sentence: `It is too long: ${encodedLength} characters follow ${prefix}. Is something else behind it?`,
    applies: (text) => text.length > prefix.length + encodedLength,
  },
  {
    reason: "not_base64",
    sentence: `What follows ${prefix} is not base64 of 32 bytes. Was a character changed on the way, + or / perhaps?`,
    applies: (text) => !/^[A-Za-z0-9+/]{43}=$/.test(text.slice(prefix.length)),
  },
];

/** What a readable secret is to an endpoint; `known` is the endpoint's own that it equals, if it equals one. */
export function judgeSecret(matches: boolean, known: WebhookSecret | undefined): Verdict {
  if (matches) {
    const sentence =
      "It signed this attempt. If your receiver refuses it all the same, compare the signed bytes.";
    return { reason: "signed_this", sentence };
  }
  switch (known?.state) {
    case "next":
      return {
        reason: "next",
        sentence: `It signs from ${known.signsFrom} on. Accept the present one until then.`,
      };
    case "signing":
      return {
        reason: "newer",
        sentence: "It signs now; an older one signed this attempt. A resend is signed with it.",
      };
    case "expired":
      return {
        reason: "replaced",
        sentence: `${whenItEnded(known)} Give your receiver the newer one.`,
      };
    default:
      return {
        reason: "unknown",
        sentence:
          "It is none of this endpoint's. Is it another endpoint's? If the right one is lost, rotate.",
      };
  }
}

const whenItEnded = ({ signsFrom, expiresAt }: WebhookSecret): string =>
  expiresAt !== null && new Date(expiresAt) <= new Date(signsFrom)
    ? `It was withdrawn at ${expiresAt}, before it signed anything.`
    : `It was replaced and signed until ${expiresAt}.`;
