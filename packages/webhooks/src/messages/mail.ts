import { asIs, fitText, type Message, outcomeLabels } from "./message.ts";

const maxSubject = 200;
/** Gmail cuts a message after 102 KB. */
const maxText = 20_000;

interface MailContent {
  subject: string;
  text: string;
  html: string;
}

const escapeHtml = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");

/** A mail: plain text, and HTML of tables with inline styles, which Outlook, Gmail and Apple Mail all show. */
export function toMail(message: Message): MailContent {
  const { outcome, title, notes, url, organization } = message;
  // A subject must be one line.
  const name = title.replaceAll(/\s+/g, " ");
  const subject = outcome === "failed" ? `${name}: the run failed` : name;
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
      ...(url === null ? [] : [`Open it in Querybell: ${url}`]),
      about.join(" "),
      reason,
    ].join("\n\n"),
    html: toHtml({ title, text, url, small: [about.join(" "), reason] }),
  };
}

interface Parts {
  title: string;
  text: string;
  url: string | null;
  small: string[];
}

const font = "font-family:Arial,Helvetica,sans-serif;";

const row = (style: string, content: string): string =>
  `<tr><td style="${font}${style}">${content}</td></tr>`;

function toHtml({ title, text, url, small }: Parts): string {
  const rows = [
    row(
      "padding:24px 24px 8px;font-size:20px;line-height:28px;font-weight:bold;color:#2b2115;",
      escapeHtml(title),
    ),
    row("padding:8px 24px;font-size:15px;line-height:22px;color:#2b2115;", toLines(text)),
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
