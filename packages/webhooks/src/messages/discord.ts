import { asIs, fitText, type Message, outcomeLabels } from "./message.ts";

// testing/discord-limits.ts has the limits of Discord's docs as a schema, with their addresses.
const maxTitle = 256;
const maxDescription = 4_096;
const maxFooter = 500;

const colors: Record<Message["outcome"], number> = { completed: 0x2f9e44, failed: 0xe03131, test: 0xe8a317 };

/** Discord shows a punctuation character after a backslash as it is. */
const escapeDiscord = (text: string): string =>
  text.replaceAll(/[\\*_~`|>#+\-[\]()<@:]/g, "\\$&").replaceAll(/^(\s{0,9}\d{1,9})\./gm, "$1\\.");

/** The body for a Discord webhook: one embed. Nobody is mentioned, whatever the texts say. */
export function toDiscordMessage({ outcome, title, text, notes, url, organization, at }: Message) {
  const about = [outcomeLabels[outcome], `Querybell, ${organization}`, ...notes].join(" · ");
  return {
    embeds: [
      {
        title: fitText(title, { maxLength: maxTitle, escapeText: escapeDiscord }),
        description: fitText(text, { maxLength: maxDescription, escapeText: escapeDiscord }),
        ...(url !== null && { url }),
        color: colors[outcome],
        timestamp: at.toISOString(),
        footer: { text: fitText(about, { maxLength: maxFooter, escapeText: asIs }) },
      },
    ],
    allowed_mentions: { parse: [] },
  };
}
