import { randomUUID } from "node:crypto";
import { asIs, fitText, type Message, type MessagePicture, outcomeLabels } from "./message.ts";
import { describeRest, type MessageTable, toTextTable } from "./message-table.ts";

// testing/discord-limits.ts has the limits of Discord's docs as a schema, with their addresses.
const maxTitle = 256;
/** Beside tables, since an embed has at most 6000 characters in all. */
const maxDescription = { alone: 4_096, besideTables: 2_500 };
const maxTableTitle = 100;
const maxTable = 650;
const maxFooter = 500;
const maxAlternative = 1_000;

const colors: Record<Message["outcome"], number> = {
  completed: 0x2f9e44,
  failed: 0xe03131,
  met: 0xe8590c,
  resolved: 0x2f9e44,
  test: 0xe8a317,
};

/** Discord shows a punctuation character after a backslash as it is. */
const escapeDiscord = (text: string): string =>
  text.replaceAll(/[\\*_~`|>#+\-[\]()<@:]/g, "\\$&").replaceAll(/^(\s{0,9}\d{1,9})\./gm, "$1\\.");

const pictureName = (at: number): string => `chart-${at + 1}.png`;

/** The JSON for a Discord webhook. Nobody is mentioned, whatever the texts say. Pictures are files beside it. */
export function toDiscordMessage(message: Message, pictures: readonly MessagePicture[] = []) {
  const { outcome, title, text, notes, url, organization, at, tables } = message;
  const about = [outcomeLabels[outcome], `Querybell, ${organization}`, ...notes].join(" · ");
  return {
    embeds: [
      {
        title: fitText(title, { maxLength: maxTitle, escapeText: escapeDiscord }),
        description: fitText(text, {
          maxLength: maxDescription[tables.length === 0 ? "alone" : "besideTables"],
          escapeText: escapeDiscord,
        }),
        ...(tables.length > 0 && { fields: tables.map(toField) }),
        ...(pictures.length > 0 && { image: { url: `attachment://${pictureName(0)}` } }),
        ...(url !== null && { url }),
        color: colors[outcome],
        timestamp: at.toISOString(),
        footer: { text: fitText(about, { maxLength: maxFooter, escapeText: asIs }) },
      },
      ...pictures.slice(1).map((_, index) => ({
        color: colors[outcome],
        image: { url: `attachment://${pictureName(index + 1)}` },
      })),
    ],
    allowed_mentions: { parse: [] },
    ...(pictures.length > 0 && {
      attachments: pictures.map((picture, id) => ({
        id,
        filename: pictureName(id),
        description: fitText(picture.title, { maxLength: maxAlternative, escapeText: asIs }),
      })),
    }),
  };
}

/** Values in a code block, which nothing can end but three backticks. */
function toField(table: MessageTable) {
  const rest = describeRest(table);
  const name = rest === undefined ? table.title : `${table.title} (${rest})`;
  const lines = toTextTable(table);
  const fit = { maxLength: maxTable, escapeText: lines.includes("```") ? escapeDiscord : asIs };
  const value = fitText(lines, fit);
  return {
    name: fitText(name, { maxLength: maxTableTitle, escapeText: escapeDiscord }),
    value: lines.includes("```") ? value : `\`\`\`\n${value}\n\`\`\``,
  };
}

/** The request for a Discord webhook: JSON, or a form with the pictures as files. */
export function toDiscordPost(
  message: Message,
  pictures: readonly MessagePicture[],
): { body: Uint8Array; contentType: string } {
  const json = JSON.stringify(toDiscordMessage(message, pictures));
  if (pictures.length === 0) return { body: Buffer.from(json), contentType: "application/json" };
  const boundary = `querybell-${randomUUID()}`;
  const part = (headers: string) => Buffer.from(`--${boundary}\r\n${headers}\r\n\r\n`);
  const end = Buffer.from("\r\n");
  const body = Buffer.concat([
    part('Content-Disposition: form-data; name="payload_json"\r\nContent-Type: application/json'),
    Buffer.from(json),
    end,
    ...pictures.flatMap(({ png }, at) => [
      part(
        `Content-Disposition: form-data; name="files[${at}]"; filename="${pictureName(at)}"\r\nContent-Type: image/png`,
      ),
      png,
      end,
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
  return { body, contentType: `multipart/form-data; boundary=${boundary}` };
}
