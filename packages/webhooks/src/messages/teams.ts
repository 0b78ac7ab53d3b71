import { asIs, fitText, type Message, outcomeLabels, type PictureAddress } from "./message.ts";
import { describeRest, type MessageTable, toTextTable } from "./message-table.ts";

// testing/teams-limits.ts has the limits of Microsoft's docs as a schema, with their addresses.
/** In bytes, of 28 KB for the whole body: each line is an element, which needs some more. */
const maxTextBytes = 7_000;
/** Of all tables. */
const maxTablesBytes = 5_400;
/** Lines beyond these become part of the last one: each is an element of the card. */
const maxLines = 60;
const maxTitle = 150;
const maxAlternative = 500;

const run = (
  text: string,
  style: { weight?: "Bolder"; size?: "Large" | "Small"; isSubtle?: true; fontType?: "Monospace" } = {},
) => ({ type: "RichTextBlock", inlines: [{ type: "TextRun", text, ...style }] }) as const;

/**
 * An Adaptive Card for the webhook of a Teams workflow. What tenants wrote is in text runs, which show it as it is: text
 * blocks would read it as markdown.
 */
export function toTeamsMessage(
  { outcome, title, text, notes, url, organization, tables }: Message,
  pictures: readonly PictureAddress[] = [],
) {
  const lines = cutToBytes(text, maxTextBytes).split("\n");
  const shown = [...lines.slice(0, maxLines - 1), lines.slice(maxLines - 1).join(" ")];
  const about = [outcomeLabels[outcome], `Querybell, ${organization}`, ...notes].join(" · ");
  const fit = { maxLength: maxTitle, escapeText: asIs };
  return {
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        contentUrl: null,
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
          fallbackText: fitText(`${title}: ${outcomeLabels[outcome]}`, fit),
          msteams: { width: "Full" },
          body: [
            run(fitText(title, fit), { weight: "Bolder", size: "Large" }),
            ...shown.filter((line) => line.trim() !== "").map((line) => run(line)),
            ...pictures.map(toImage),
            ...tables.flatMap((table) => toTableBlocks(table, Math.floor(maxTablesBytes / tables.length))),
            run(fitText(about, { maxLength: 500, escapeText: asIs }), { size: "Small", isSubtle: true }),
          ],
          ...(url !== null && { actions: [{ type: "Action.OpenUrl", title: "Open it in Querybell", url }] }),
        },
      },
    ],
  };
}

const toImage = (picture: PictureAddress) =>
  ({
    type: "Image",
    url: picture.url,
    altText: fitText(picture.title, { maxLength: maxAlternative, escapeText: asIs }),
    size: "Stretch",
  }) as const;

const toTableBlocks = (table: MessageTable, maxBytes: number) => {
  const rest = describeRest(table);
  const title = rest === undefined ? table.title : `${table.title} (${rest})`;
  return [
    run(fitText(title, { maxLength: maxTitle, escapeText: asIs }), { weight: "Bolder" }),
    ...cutToBytes(toTextTable(table), maxBytes)
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => run(line, { fontType: "Monospace", size: "Small" })),
  ];
};

/** In JSON, where a quote or a control character takes more than one byte. */
const bytesOf = (text: string): number => Buffer.byteLength(JSON.stringify(text));

function cutToBytes(text: string, maxBytes: number): string {
  let maxLength = maxBytes;
  for (;;) {
    const fitted = fitText(text, { maxLength, escapeText: asIs });
    const excess = bytesOf(fitted) - maxBytes;
    if (excess <= 0) return fitted;
    // A UTF-16 unit takes at most six bytes.
    maxLength = Math.min(maxLength, fitted.length) - Math.max(1, Math.floor(excess / 6));
  }
}
