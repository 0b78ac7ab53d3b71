import { asIs, fitText, type Message, outcomeLabels, type PictureAddress } from "./message.ts";
import { describeRest, type MessageTable, toTextTable } from "./message-table.ts";

// The limits are those of docs.slack.dev; testing/slack-limits.ts has them as a schema, with their addresses.
const maxHeader = 150;
const maxSection = 3_000;
const maxContextText = 2_000;
/** Of all tables: with the rest they stay below 13,000 characters. */
const maxTables = 6_000;
const maxAlternative = 2_000;

/** Slack reads these three characters as markup, in plain text too. */
const escapeSlack = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const plain = (text: string, maxLength: number) =>
  ({
    type: "plain_text",
    text: fitText(text, { maxLength, escapeText: escapeSlack }),
    emoji: false,
  }) as const;

/**
 * The body for an incoming webhook. What tenants wrote is plain text: as markdown, `2*3*4` would lose its asterisks. The
 * link is no button, because a button needs a server of the app that answers to it.
 */
export function toSlackMessage(
  { outcome, title, text, notes, url, organization, tables }: Message,
  pictures: readonly PictureAddress[] = [],
) {
  const about = [outcomeLabels[outcome], `Querybell, ${organization}`, ...notes].join(" · ");
  return {
    // Shown in notifications.
    text: fitText(`${title}: ${outcomeLabels[outcome]}`, { maxLength: maxSection, escapeText: escapeSlack }),
    blocks: [
      { type: "header", text: plain(title, maxHeader) } as const,
      { type: "section", text: plain(text, maxSection) } as const,
      ...pictures.map(toImageBlock),
      ...tables.flatMap((table) => toTableBlocks(table, Math.floor(maxTables / tables.length))),
      ...(url === null
        ? []
        : [
            {
              type: "section",
              text: { type: "mrkdwn", text: `<${escapeSlack(url)}|Open it in Querybell>` },
            } as const,
          ]),
      { type: "context", elements: [plain(about, maxContextText)] } as const,
    ],
    unfurl_links: false,
    unfurl_media: false,
  };
}

const toImageBlock = (picture: PictureAddress) =>
  ({
    type: "image",
    image_url: picture.url,
    alt_text: fitText(picture.title, { maxLength: maxAlternative, escapeText: asIs }),
  }) as const;

/** The title, and the values in a font of equal width. The text of rich text is never read as markup. */
function toTableBlocks(table: MessageTable, maxLength: number) {
  const rest = describeRest(table);
  const title = rest === undefined ? table.title : `${table.title} (${rest})`;
  const text = fitText(toTextTable(table), { maxLength, escapeText: asIs });
  return [
    { type: "context", elements: [plain(title, maxHeader)] } as const,
    {
      type: "rich_text",
      elements: [{ type: "rich_text_preformatted", elements: [{ type: "text", text }] }],
    } as const,
  ];
}
