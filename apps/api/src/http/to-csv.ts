import { Field } from "@querybell/domain";
import { LargeRow } from "./large-row.ts";
import { splitResult } from "./split-result.ts";

const writeOutBytes = 64 * 1024;

/** Turns a result's JSON into CSV (RFC 4180) as it comes; only one piece of it is in memory at a time. */
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

/** Without a schema: that takes many times as long as the rest, and whatever JSON a value is, it can be written. */
function readRow(json: string): unknown[] {
  const row: unknown = JSON.parse(json);
  if (!Array.isArray(row)) throw new Error("A row of a stored result is not a list.");
  return row;
}

const csvLine = (values: unknown[]): string => `${values.map(csvValue).join(",")}\r\n`;

/** NULL is nothing at all, and an empty text is "": what reads CSV carefully can tell them apart. */
function csvValue(value: unknown): string {
  if (value === null) return "";
  const text =
    typeof value === "string" ? value : typeof value === "object" ? JSON.stringify(value) : `${value}`;
  return text === "" || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
