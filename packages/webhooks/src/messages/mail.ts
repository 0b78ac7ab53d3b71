import { asIs, fitText, type Message, type MessagePicture, outcomeLabels } from "./message.ts";
import { describeRest, type MessageTable, toTextTable } from "./message-table.ts";

const maxSubject = 200;
/** Gmail cuts a message after 102 KB. */
const maxText = 20_000;

interface MailContent {
  subject: string;
  text: string;
  html: string;
  attachments: { filename: string; contentType: string; content: Uint8Array; cid: string }[];
}

const escapeHtml = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");

const subjectEnds: Record<Message["outcome"], string> = {
  completed: "",
  failed: ": the run failed",
  met: ": the condition is met",
  resolved: ": the condition is resolved",
  test: "",
};

/** A mail: plain text, and HTML of tables with inline styles, which Outlook, Gmail and Apple Mail all show. */
export function toMail(message: Message, pictures: readonly MessagePicture[] = []): MailContent {
  const { outcome, title, notes, url, organization, tables } = message;
  // A subject must be one line.
  const name = title.replaceAll(/\s+/g, " ");
  const subject = name + subjectEnds[outcome];
  const text = fitText(message.text, { maxLength: maxText, escapeText: asIs });
  const about = [
    `${outcomeLabels[outcome]}. Sent by Querybell for ${organization}.`,
    ...notes.map((note) => `${note}.`),
  ];
  const reason =
    "An admin of Querybell has added this address as a destination. To stop these mails, ask them.";
  return {
    subject: fitText(subject, { maxLength: maxSubject, escapeText: asIs }),
    text: [
      title,
      text,
      ...tables.map(toText),
      ...(url === null ? [] : [`Open it in Querybell: ${url}`]),
      about.join(" "),
      reason,
    ].join("\n\n"),
    html: toHtml({ title, text, url, tables, pictures, small: [about.join(" "), reason] }),
    attachments: pictures.map(({ png }, at) => ({
      filename: `chart-${at + 1}.png`,
      contentType: "image/png",
      content: png,
      cid: pictureId(at),
    })),
  };
}

const pictureId = (at: number): string => `chart-${at + 1}@querybell`;

const titleOf = (table: MessageTable): string => {
  const rest = describeRest(table);
  return rest === undefined ? table.title : `${table.title} (${rest})`;
};

const toText = (table: MessageTable): string => `${titleOf(table)}\n${toTextTable(table)}`;

interface Parts {
  title: string;
  text: string;
  url: string | null;
  tables: MessageTable[];
  pictures: readonly MessagePicture[];
  small: string[];
}

const font = "font-family:Arial,Helvetica,sans-serif;";

const row = (style: string, content: string): string =>
  `<tr><td style="${font}${style}">${content}</td></tr>`;

function toHtml({ title, text, url, tables, pictures, small }: Parts): string {
  const rows = [
    row(
      "padding:24px 24px 8px;font-size:20px;line-height:28px;font-weight:bold;color:#2b2115;",
      escapeHtml(title),
    ),
    row("padding:8px 24px;font-size:15px;line-height:22px;color:#2b2115;", toLines(text)),
    ...pictures.map((picture, at) => row("padding:8px 24px;", toImage(picture, at))),
    ...tables.map((table) => row("padding:8px 24px;", toHtmlTable(table))),
    ...(url === null ? [] : [row("padding:16px 24px;", toButton(url))]),
    ...small.map((line) =>
      row("padding:4px 24px;font-size:12px;line-height:18px;color:#6b5f4f;", escapeHtml(line)),
    ),
    row("padding:0 0 20px;font-size:1px;line-height:1px;", "&nbsp;"),
  ];
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title></head>
<body style="margin:0;padding:0;background-color:#f6f1e7;">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="#f6f1e7"><tr><td align="center" style="padding:16px 8px;">
<table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0" bgcolor="#ffffff" style="width:100%;max-width:600px;background-color:#ffffff;border:1px solid #e4dac8;">
${rows.join("\n")}
</table>
</td></tr></table>
</body>
</html>
`;
}

const toLines = (text: string): string => text.split("\n").map(escapeHtml).join("<br>");

/** The colour of the cell makes it a button where styles of links are ignored. */
const toButton = (url: string): string =>
  `<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr><td bgcolor="#7a4d00" style="padding:10px 18px;background-color:#7a4d00;"><a href="${escapeHtml(url)}" style="${font}font-size:15px;line-height:20px;color:#ffffff;text-decoration:none;">Open it in Querybell</a></td></tr></table>`;

/** Outlook takes the width of the attribute, others that of the style. */
const toImage = ({ title }: MessagePicture, at: number): string =>
  `<img src="cid:${pictureId(at)}" alt="${escapeHtml(title)}" width="550" style="display:block;width:100%;max-width:550px;height:auto;border:0;">`;

const cellStyle = `${font}padding:4px 8px;font-size:13px;line-height:18px;color:#2b2115;border-bottom:1px solid #e4dac8;`;

function toHtmlTable(table: MessageTable): string {
  const head = table.columns
    .map((name) => `<th align="left" style="${cellStyle}font-weight:bold;">${escapeHtml(name)}</th>`)
    .join("");
  const rows = table.rows.map(
    (cells) =>
      `<tr>${cells.map((cell) => `<td align="left" style="${cellStyle}">${escapeHtml(cell)}</td>`).join("")}</tr>`,
  );
  const title = `<div style="${font}padding:4px 0;font-size:14px;line-height:20px;font-weight:bold;color:#2b2115;">${escapeHtml(titleOf(table))}</div>`;
  return `${title}<table width="100%" cellpadding="0" cellspacing="0" border="0"><tr>${head}</tr>${rows.join("")}</table>`;
}
