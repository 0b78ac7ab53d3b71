import { asIs, fitText, type Message, outcomeLabels } from "./message.ts";

// testing/teams-limits.ts has the limits of Microsoft's docs as a schema, with their addresses.
/** In bytes of the whole body, which may have 28 KB. The rest of the card needs less than 3 KB. */
const maxTextBytes = 20_000;
/** Lines beyond these become part of the last one: each is an element of the card. */
const maxLines = 60;
const maxTitle = 200;

const run = (text: string, style: { weight?: "Bolder"; size?: "Large" | "Small"; isSubtle?: true } = {}) =>
  ({ type: "RichTextBlock", inlines: [{ type: "TextRun", text, ...style }] }) as const;

/**
 * An Adaptive Card for the webhook of a Teams workflow. What tenants wrote is in text runs, which show it as it is: text
 * blocks would read it as markdown.
 */
export function toTeamsMessage({ outcome, title, text, notes, url, organization }: Message) {
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
            run(fitText(about, { maxLength: 500, escapeText: asIs }), { size: "Small", isSubtle: true }),
          ],
          ...(url !== null && { actions: [{ type: "Action.OpenUrl", title: "Open it in Querybell", url }] }),
        },
      },
    ],
  };
}

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
