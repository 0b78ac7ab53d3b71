import { Field } from "@querybell/domain";
import { readRow, splitResult } from "./split-result.ts";

const writeOutBytes = 64 * 1024;

/** Converts the JSON of a result to CSV (RFC 4180) in a stream, with only one piece in memory at a time. */
export async function* toCsv(json: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const names: string[] = [];
  let text = "";
  let hasHeader = false;
  let large: LargeRow | undefined;
  const header = () => {
    if (!hasHeader) text += csvLine(names);
    hasHeader = true;
  };
  for await (const part of splitResult(json)) {
    if (part.kind === "field") names.push(Field.parse(JSON.parse(part.text)).name);
    else {
      header();
      if (part.kind === "row") text += csvLine(readRow(part.text));
      else {
        large ??= new LargeRow();
        text += large.write(part.text);
        if (part.isLast) large = undefined;
      }
    }
    if (text.length < writeOutBytes) continue;
    yield text;
    text = "";
  }
  header();
  yield text;
}

/** One line of a CSV file. */
export const csvLine = (values: unknown[]): string => `${values.map(csvValue).join(",")}\r\n`;

/** NULL is written as nothing and an empty string as "", so that parsers can distinguish them. */
function csvValue(value: unknown): string {
  if (value === null) return "";
  const text =
    typeof value === "string" ? value : typeof value === "object" ? JSON.stringify(value) : `${value}`;
  return text === "" || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Converts one row from JSON to CSV in chunks. A row can be as large as a whole result, so neither the row nor one
 * of its values is held in memory. Strings and nested values are always quoted, since their start is written before
 * their end is known.
 */
export class LargeRow {
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** Incomplete input that cannot be written yet: a number, a literal, or an escape sequence in a string. */
  #begun = "";

  /** Returns the CSV of the next chunk, which must not end inside a character. */
  write(json: string): string {
    const piece = this.#begun + json;
    let at = this.#begun.length;
    // Position of the last escape sequence in a string, or of the first of a surrogate pair of escapes.
    let escapeAt = this.#inString ? 0 : -maxEscape;
    let start = 0;
    let csv = "";
    this.#begun = "";
    const upTo = (end: number) => {
      const text = piece.slice(start, end);
      start = end;
      return text;
    };
    for (; at < piece.length; at++) {
      const character = piece[at] ?? "";
      if (this.#escaped) this.#escaped = false;
      else if (this.#inString) {
        if (character === "\\") {
          this.#escaped = true;
          if (at - escapeAt !== 6 || !firstHalf.test(piece.slice(escapeAt, at))) escapeAt = at;
        } else if (character === '"') {
          this.#inString = false;
          if (this.#depth > 1) continue;
          csv += `${decoded(upTo(at))}"`;
          start = at + 1;
        }
      } else if (character === '"') {
        this.#inString = true;
        if (this.#depth > 1) continue;
        csv += '"';
        start = at + 1;
        escapeAt = -maxEscape;
      } else if (character === "[" || character === "{") {
        this.#depth++;
        if (this.#depth === 1) start = at + 1;
        if (this.#depth === 2) csv += '"';
      } else if (character === "]" || character === "}") {
        this.#depth--;
        if (this.#depth === 0) return `${csv}${plain(upTo(at))}\r\n`;
        if (this.#depth === 1) csv += `${quoted(upTo(at + 1))}"`;
      } else if (character === "," && this.#depth === 1) {
        csv += `${plain(upTo(at))},`;
        start = at + 1;
      }
    }
    if (this.#depth > 1) return csv + quoted(upTo(at));
    if (this.#inString) csv += decoded(upTo(at - escapeAt < maxEscape ? escapeAt : at));
    this.#begun = piece.slice(start);
    if (this.#begun.length > maxNumberLength) throw new Error("A stored result has a number without end.");
    return csv;
  }
}

// Far more digits than a number of an engine has.
const maxNumberLength = 1024 ** 2;
// `\ud83d\ude00`: one character.
const maxEscape = 12;
const firstHalf = /^\\u[dD][89abAB]/;

const decoded = (text: string): string => quoted(String(JSON.parse(`"${text}"`)));
const quoted = (text: string): string => text.replaceAll('"', '""');
const plain = (word: string): string => (word === "null" ? "" : word);
