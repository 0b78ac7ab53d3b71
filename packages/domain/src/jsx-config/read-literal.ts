import type { TextReader } from "./text-reader.ts";

/** The value of a prop: data only, no code. */
export type LiteralValue =
  | null
  | boolean
  | number
  | string
  | LiteralValue[]
  | { [key: string]: LiteralValue };

const maxDepth = 20;
const space = /\s*/y;
const number = /-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w$.])/y;
const word = /[A-Za-z_$][\w$]*/y;
const stringPart = /[^\\\r\n'"`$]+|\$(?!\{)/y;
// Maps, because objects also have inherited names such as constructor.
const constants = new Map<string, null | boolean>([
  ["null", null],
  ["true", true],
  ["false", false],
]);
const escapes = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["b", "\b"],
  ["f", "\f"],
]);

/** Reads a JavaScript literal: a string, number, boolean or null, or an array or object of these. */
export function readLiteral(reader: TextReader, depth = 0): LiteralValue {
  if (depth > maxDepth) reader.refuse("This is nested too deeply.");
  reader.take(space);
  const start = reader.position;
  const digits = reader.take(number);
  if (digits !== undefined) {
    const value = Number(digits);
    return Number.isFinite(value) ? value : reader.refuse("This number is too large.", start);
  }
  for (const quote of ['"', "'", "`"]) if (reader.accept(quote)) return readString(reader, quote);
  if (reader.accept("[")) return readArray(reader, depth);
  if (reader.accept("{")) return readObject(reader, depth);
  const name = reader.take(word);
  const constant = name === undefined ? undefined : constants.get(name);
  if (constant !== undefined) return constant;
  return reader.refuse("Only literal values can stand here: text, numbers, true, false, null, lists.", start);
}

function readString(reader: TextReader, quote: string): string {
  let text = "";
  while (!reader.accept(quote)) {
    const plain = reader.take(stringPart);
    if (plain !== undefined) text += plain;
    else if (reader.accept("\\")) text += readEscape(reader);
    else if (quote === "`" && reader.accept("${"))
      reader.refuse("A text cannot compute anything.", reader.position - 2);
    else text += readOtherQuoteOrLine(reader, quote);
  }
  return text;
}

function readOtherQuoteOrLine(reader: TextReader, quote: string): string {
  const pattern = quote === "`" ? /['"\r\n]/y : /['"`$]/y;
  return reader.take(pattern) ?? reader.refuse(`The text that began with ${quote} does not end.`);
}

function readEscape(reader: TextReader): string {
  const hex = reader.take(/u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}/y);
  if (hex) return String.fromCharCode(Number.parseInt(hex.slice(1), 16));
  const long = reader.take(/u\{[0-9a-fA-F]{1,6}\}/y);
  const code = long ? Number.parseInt(long.slice(2, -1), 16) : undefined;
  if (code !== undefined && code <= 0x10_ff_ff) return String.fromCodePoint(code);
  const letter = reader.take(/[^ux0-9\r\n]/uy);
  if (code !== undefined || letter === undefined) return reader.refuse("This escape is not known.");
  return escapes.get(letter) ?? letter;
}

function readArray(reader: TextReader, depth: number): LiteralValue[] {
  const items: LiteralValue[] = [];
  for (;;) {
    reader.take(space);
    if (reader.accept("]")) return items;
    items.push(readLiteral(reader, depth + 1));
    reader.take(space);
    if (reader.accept("]")) return items;
    reader.expect(",", "A comma or ] is missing here.");
  }
}

function readObject(reader: TextReader, depth: number): { [key: string]: LiteralValue } {
  const entries: [string, LiteralValue][] = [];
  for (;;) {
    reader.take(space);
    if (reader.accept("}")) return Object.fromEntries(entries);
    const start = reader.position;
    const key = readKey(reader);
    // As a key it would set the prototype of the object.
    if (key === "__proto__") reader.refuse("This name cannot be used.", start);
    reader.take(space);
    reader.expect(":", "A colon and a value are missing here.");
    entries.push([key, readLiteral(reader, depth + 1)]);
    reader.take(space);
    if (reader.accept("}")) return Object.fromEntries(entries);
    reader.expect(",", "A comma or } is missing here.");
  }
}

function readKey(reader: TextReader): string {
  for (const quote of ['"', "'"]) if (reader.accept(quote)) return readString(reader, quote);
  return reader.take(word) ?? reader.take(/\d+/y) ?? reader.refuse("A name is missing here.");
}
