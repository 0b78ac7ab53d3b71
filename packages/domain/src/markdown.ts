/** The parts of a line. */
export type Inline =
  | { kind: "text" | "code"; text: string }
  | { kind: "strong" | "emphasis"; parts: Inline[] }
  | { kind: "link"; href: string; parts: Inline[] };

export type Block =
  | { kind: "heading"; level: number; parts: Inline[] }
  | { kind: "paragraph" | "quote"; parts: Inline[] }
  | { kind: "list"; isOrdered: boolean; items: Inline[][] }
  | { kind: "code"; text: string }
  | { kind: "rule" };

/**
 * Reads the usual part of Markdown: headings, paragraphs, lists, quotes, code, rules, emphasis and links. HTML is text like
 * any other, and there are no pictures: what is written here loads nothing.
 */
export function parseMarkdown(text: string): Block[] {
  const blocks: Block[] = [];
  const lines = text.split("\n").map((line) => line.trimEnd());
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    const start = line.trimStart();
    if (start === "") at++;
    else if (start.startsWith("```")) {
      const end = lines.findIndex((other, index) => index > at && other.trimStart().startsWith("```"));
      const last = end === -1 ? lines.length : end;
      blocks.push({ kind: "code", text: lines.slice(at + 1, last).join("\n") });
      at = last + 1;
    } else if (/^#{1,3} /.test(start)) {
      const level = start.indexOf(" ");
      blocks.push({ kind: "heading", level, parts: parseInline(start.slice(level + 1)) });
      at++;
    } else if (/^(?:---|\*\*\*|___)$/.test(start)) {
      blocks.push({ kind: "rule" });
      at++;
    } else if (itemOf(start)) {
      const isOrdered = itemOf(start)?.isOrdered ?? false;
      const items = takeWhile(lines, at, (other) => itemOf(other.trimStart())?.isOrdered === isOrdered);
      const parts = items.map((item) => parseInline(itemOf(item.trimStart())?.text ?? ""));
      blocks.push({ kind: "list", isOrdered, items: parts });
      at += items.length;
    } else if (start.startsWith(">")) {
      const quoted = takeWhile(lines, at, (other) => other.trimStart().startsWith(">"));
      const words = quoted.map((other) => other.trimStart().slice(1).trimStart()).join(" ");
      blocks.push({ kind: "quote", parts: parseInline(words) });
      at += quoted.length;
    } else {
      const rest = takeWhile(lines, at + 1, isPlain);
      blocks.push({ kind: "paragraph", parts: parseInline([line, ...rest].join("\n")) });
      at += 1 + rest.length;
    }
  }
  return blocks;
}

const isPlain = (line: string): boolean => {
  const start = line.trimStart();
  return start !== "" && !/^(?:#{1,3} |```|>)/.test(start) && itemOf(start) === undefined;
};

function takeWhile(lines: readonly string[], from: number, isTaken: (line: string) => boolean): string[] {
  const end = lines.findIndex((line, index) => index >= from && !isTaken(line));
  return lines.slice(from, end === -1 ? lines.length : end);
}

function itemOf(start: string): { isOrdered: boolean; text: string } | undefined {
  if (/^[-*+] /.test(start)) return { isOrdered: false, text: start.slice(2) };
  const number = /^\d{1,4}[.)] /.exec(start);
  return number ? { isOrdered: true, text: start.slice(number[0].length) } : undefined;
}

/** How deep emphasis and links may be inside each other. */
const maxDepth = 5;

function parseInline(text: string, depth = 0): Inline[] {
  const parts: Inline[] = [];
  let plain = "";
  const add = (part: Inline) => {
    if (plain !== "") parts.push({ kind: "text", text: plain });
    plain = "";
    parts.push(part);
  };
  for (let at = 0; at < text.length; ) {
    const found = depth < maxDepth ? markAt(text, at, depth) : undefined;
    if (found) add(found.part);
    else plain += text[at] === "\\" && at + 1 < text.length ? (text[at + 1] ?? "") : (text[at] ?? "");
    at = found ? found.end : at + (text[at] === "\\" && at + 1 < text.length ? 2 : 1);
  }
  if (plain !== "") parts.push({ kind: "text", text: plain });
  return parts;
}

interface Marked {
  part: Inline;
  end: number;
}

function markAt(text: string, at: number, depth: number): Marked | undefined {
  switch (text[at]) {
    case "`": {
      const end = text.indexOf("`", at + 1);
      return end > at + 1
        ? { part: { kind: "code", text: text.slice(at + 1, end) }, end: end + 1 }
        : undefined;
    }
    case "*":
    case "_":
      return emphasisAt(text, at, depth);
    case "[":
      return linkAt(text, at, depth);
    default:
      return undefined;
  }
}

function emphasisAt(text: string, at: number, depth: number): Marked | undefined {
  const sign = text[at] ?? "";
  // An underscore inside a word is a part of the word.
  if (sign === "_" && /\w/.test(text[at - 1] ?? "")) return undefined;
  const mark = text[at + 1] === sign ? sign + sign : sign;
  const from = at + mark.length;
  const end = text.indexOf(mark, from);
  if (end <= from || /\s/.test(text[from] ?? " ")) return undefined;
  const kind = mark.length === 2 ? "strong" : "emphasis";
  return { part: { kind, parts: parseInline(text.slice(from, end), depth + 1) }, end: end + mark.length };
}

function linkAt(text: string, at: number, depth: number): Marked | undefined {
  const middle = text.indexOf("](", at);
  const end = middle === -1 ? -1 : text.indexOf(")", middle);
  if (end === -1) return undefined;
  const href = text.slice(middle + 2, end).trim();
  if (!isAllowedLink(href)) return undefined;
  const parts = parseInline(text.slice(at + 1, middle), depth + 1);
  return { part: { kind: "link", href, parts }, end: end + 1 };
}

/** Only links to the web, to a mail address, and to pages of this app: never `javascript:` or `data:`. */
const isAllowedLink = (href: string): boolean =>
  /^(?:https?:\/\/|mailto:)[^\s]+$/i.test(href) || /^\/(?![/\\])[^\s\\]*$/.test(href);
