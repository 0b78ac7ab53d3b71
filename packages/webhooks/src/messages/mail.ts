import { cutText } from "@querybell/domain";
import {
  asIs,
  fitText,
  type Message,
  type MessageFile,
  type MessagePicture,
  outcomeLabels,
} from "./message.ts";
import { describeRest, findNumberColumns, type MessageTable, toTextTable } from "./message-table.ts";

const maxSubject = 200;
/** Gmail cuts a message after 102 KB. */
const maxText = 20_000;

interface MailContent {
  subject: string;
  text: string;
  html: string;
  /** `cid` names a picture that the HTML shows. */
  attachments: { filename: string; contentType: string; content: Uint8Array; cid?: string }[];
}

interface MailParts {
  pictures?: readonly MessagePicture[];
  files?: readonly MessageFile[];
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
export function toMail(message: Message, { pictures = [], files = [] }: MailParts = {}): MailContent {
  const { outcome, title, notes, url, organization, tables, mailReason } = message;
  // A subject must be one line.
  const name = title.replaceAll(/\s+/g, " ");
  const subject = name + subjectEnds[outcome];
  const text = fitText(message.text, { maxLength: maxText, escapeText: asIs });
  const about = [
    `${outcomeLabels[outcome]}. Sent by Querybell for ${organization}.`,
    ...notes.map((note) => `${note.slice(0, 1).toUpperCase()}${note.slice(1)}.`),
  ].join(" ");
  return {
    subject: fitText(subject, { maxLength: maxSubject, escapeText: asIs }),
    text: [
      title,
      text,
      ...tables.map(toText),
      ...(url === null ? [] : [`Open it in Querybell: ${url}`]),
      about,
      mailReason,
    ].join("\n\n"),
    html: toHtml({ title, text, url, tables, pictures, small: [about, mailReason] }),
    attachments: [
      ...pictures.map(({ png }, at) => ({
        filename: `chart-${at + 1}.png`,
        contentType: "image/png",
        content: png,
        cid: pictureId(at),
      })),
      ...files.map(({ name: filename, contentType, content }) => ({ filename, contentType, content })),
    ],
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

/**
 * Without a body element, of which Outlook for Mac ignores everything, and without roles, which others ignore: a table of one
 * column without headings is read as layout.
 */
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
<table width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td align="center" style="padding:8px 0;">
<table width="600" cellpadding="0" cellspacing="0" border="0" bgcolor="#ffffff" style="width:100%;max-width:600px;background-color:#ffffff;border:1px solid #e4dac8;">
${rows.join("\n")}
</table>
</td></tr></table>
</html>
`;
}

const toLines = (text: string): string => text.split("\n").map(escapeHtml).join("<br>");

/** The colour of the cell makes it a button where styles of links are ignored. */
const toButton = (url: string): string =>
  `<table cellpadding="0" cellspacing="0" border="0"><tr><td bgcolor="#7a4d00" style="padding:10px 18px;background-color:#7a4d00;"><a href="${escapeHtml(url)}" style="${font}font-size:15px;line-height:20px;color:#ffffff;text-decoration:none;">Open it in Querybell</a></td></tr></table>`;

/** Outlook takes the width of the attribute, others that of the style. */
const toImage = ({ title }: MessagePicture, at: number): string =>
  `<img src="cid:${pictureId(at)}" alt="${escapeHtml(title)}" width="550" style="display:block;width:100%;max-width:550px;height:auto;border:0;">`;

/** What a phone has room for: programs for mail shrink a mail that has a wider table until nobody can read it. */
const maxTableWidth = 310;
const cellPadding = 16;
const letterWidth = 7;
/** A cell is broken into lines of at least so many letters. */
const shortLine = 12;
/** Longer words are cut: no program breaks them, and some do not know how to be told. */
const maxWord = 40;

const longestWord = (cells: readonly string[]): number =>
  Math.max(0, ...cells.flatMap((cell) => cell.split(/\s/).map((word) => word.length)));

/** The width of columns in which no word is broken. */
const widthOf = (columns: readonly (readonly string[])[]): number =>
  columns.reduce((sum, cells) => {
    const longestCell = Math.max(0, ...cells.map((cell) => cell.length));
    return sum + cellPadding + letterWidth * Math.min(longestCell, Math.max(longestWord(cells), shortLine));
  }, 0);

const textStyle = `${font}font-size:13px;line-height:18px;color:#2b2115;`;
const lineStyle = "border-bottom:1px solid #e4dac8;";

function toHtmlTable(table: MessageTable): string {
  const { columns, rows } = table;
  const title = `<div style="${font}padding:4px 0;font-size:14px;line-height:20px;font-weight:bold;color:#2b2115;">${escapeHtml(titleOf(table))}</div>`;
  const fits =
    widthOf(columns.map((name, at) => [name, ...rows.map((row) => row[at] ?? "")])) <= maxTableWidth;
  return `${title}<table width="100%" cellpadding="0" cellspacing="0" border="0">${fits ? toRows(table) : toRecords(table)}</table>`;
}

function toRows(table: MessageTable): string {
  const areNumbers = findNumberColumns(table);
  const cell = (tag: "td" | "th", text: string, at: number) => {
    const [align, weight] = [areNumbers[at] ? "right" : "left", tag === "th" ? "font-weight:bold;" : ""];
    return `<${tag} align="${align}" style="${textStyle}${lineStyle}${weight}padding:4px 8px;">${escapeHtml(text)}</${tag}>`;
  };
  const line = (tag: "td" | "th", cells: readonly string[]) =>
    `<tr>${cells.map((text, at) => cell(tag, text, at)).join("")}</tr>`;
  return [line("th", table.columns), ...table.rows.map((cells) => line("td", cells))].join("");
}

/**
 * A table that is too wide: each row as a list of names and values, one above the other if words are long. Empty cells are
 * left out.
 */
function toRecords({ columns, rows }: MessageTable): string {
  const fits = widthOf([columns, rows.flat()]) <= maxTableWidth;
  const toRecord = (cells: readonly string[]) => {
    const given = columns
      .map((name, at) => ({ name, cell: cells[at] ?? "" }))
      .filter(({ cell }) => cell !== "");
    return given.map(({ name, cell }, at) => {
      const isLast = at === given.length - 1;
      const style = `${textStyle}${isLast ? `padding:2px 8px 8px 0;${lineStyle}` : "padding:2px 8px 2px 0;"}`;
      const [label, value] = [escapeHtml(cutWords(name)), escapeHtml(cutWords(cell))];
      return fits
        ? `<tr><th align="left" valign="top" width="35%" style="${style}font-weight:normal;color:#6b5f4f;">${label}</th><td align="left" valign="top" style="${style}">${value}</td></tr>`
        : `<tr><td align="left" style="${style}"><span style="color:#6b5f4f;">${label}</span><br>${value}</td></tr>`;
    });
  };
  return rows.flatMap(toRecord).join("");
}

const cutWords = (text: string): string =>
  text.replaceAll(/\S+/g, (word) => (word.length > maxWord ? `${cutText(word, maxWord - 1)}…` : word));
