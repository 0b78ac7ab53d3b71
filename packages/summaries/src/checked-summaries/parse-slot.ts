import { type Attribute, Comparator, operationNamed, type Slot } from "./slot.ts";

type ParsedSlot = { slot: Slot; result: string | undefined } | { problem: string };

const quotes: Record<string, string> = { '"': '"', "'": "'", "“": "”", "„": "“", "«": "»", "‘": "’" };
const comparators: Record<string, Comparator> = { "==": "=", "<>": "!=", "≠": "!=", "≤": "<=", "≥": ">=" };

interface Word {
  text: string;
  isQuoted: boolean;
}
type Token = { kind: "word"; word: Word } | { kind: "comparator"; comparator: Comparator };

/** The position after a quoted text that starts here, or the length if it has no end. */
export function endOfQuote(text: string, start: number): number {
  const closing = quotes[text.charAt(start)];
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "\\") at++;
    else if (character === closing || (closing === "“" && character === "”")) return at + 1;
  }
  return text.length;
}

export const startsQuote = (character: string): boolean => Object.hasOwn(quotes, character);

/** Parses the text in double braces: an operation, then attributes such as column=revenue or orders>=50. */
export function parseSlot(body: string): ParsedSlot {
  const tokens = tokensOf(body);
  if (typeof tokens === "string") return { problem: tokens };
  const [first, ...rest] = tokens;
  const word = first?.kind === "word" ? first.word.text.toLowerCase().replaceAll("-", "_") : "";
  const operation = operationNamed(word);
  if (operation === undefined)
    return { problem: `There is no operation ${JSON.stringify(word.slice(0, 40))}.` };
  const attributes = attributesOf(rest);
  if (typeof attributes === "string") return { problem: attributes };
  if (attributes.length > 20 || attributes.some(({ name, value }) => name.length > 200 || value.length > 200))
    return { problem: "It has too many attributes, or one that is too long." };
  const named = attributes.filter(({ name }) => name === "result");
  const [result] = named.map(({ value }) => value);
  if (named.length > 1) return { problem: "It names two results." };
  const others = attributes.filter(({ name }) => name !== "result");
  if (result?.endsWith(previousSuffix)) {
    others.push({ name: "run", comparator: "=", value: "last" });
    return { slot: { operation, attributes: others }, result: result.slice(0, -previousSuffix.length) };
  }
  return { slot: { operation, attributes: others }, result };
}

const previousSuffix = "_before";

function tokensOf(body: string): Token[] | string {
  const tokens: Token[] = [];
  for (let at = 0; at < body.length; ) {
    const character = body.charAt(at);
    if (/[\s,;]/.test(character)) at++;
    else if (startsQuote(character)) {
      const end = endOfQuote(body, at);
      if (end === body.length && !isClosed(body, at)) return "A quotation mark is not closed.";
      const text = body.slice(at + 1, end - 1).replaceAll(/\\(.)/gu, "$1");
      tokens.push({ kind: "word", word: { text, isQuoted: true } });
      at = end;
    } else if (/[=<>!≠≤≥]/.test(character)) {
      const two = body.slice(at, at + 2);
      const found = [two, character].flatMap((text) => {
        const comparator = Comparator.safeParse(comparators[text] ?? text).data;
        return comparator ? [{ comparator, length: text.length }] : [];
      })[0];
      if (!found) return `${JSON.stringify(character)} is no comparison.`;
      tokens.push({ kind: "comparator", comparator: found.comparator });
      at += found.length;
    } else {
      let end = at;
      while (end < body.length && !/[\s,;=<>!≠≤≥"“”„«»]/.test(body.charAt(end))) end++;
      if (end === at) return `${JSON.stringify(character)} cannot stand there.`;
      tokens.push({ kind: "word", word: { text: body.slice(at, end), isQuoted: false } });
      at = end;
    }
  }
  return tokens;
}

const isClosed = (body: string, start: number): boolean => {
  const closing = quotes[body.charAt(start)];
  const last = body.at(-1);
  return body.length - 1 > start && (last === closing || (closing === "“" && last === "”"));
};

/** Reads name, comparator and value. A word by itself names the column. */
function attributesOf(tokens: readonly Token[]): Attribute[] | string {
  const attributes: Attribute[] = [];
  for (let at = 0; at < tokens.length; ) {
    const [name, comparator, value] = tokens.slice(at, at + 3);
    if (name?.kind !== "word") return "A comparison has no name before it.";
    if (comparator?.kind !== "comparator") {
      attributes.push({ name: "column", comparator: "=", value: name.word.text });
      at++;
      continue;
    }
    if (value?.kind !== "word") return `${JSON.stringify(name.word.text.slice(0, 40))} has no value.`;
    attributes.push({
      name: toName(name.word),
      comparator: comparator.comparator,
      value: value.word.text,
    });
    at += 3;
  }
  return attributes;
}

/** A name in quotation marks is always that of a column, so that columns called "row" or "period" can be named. */
const toName = ({ text, isQuoted }: Word): string => (isQuoted ? `where.${text}` : text);
