import { Field } from "@querybell/domain";
import { LargeRow } from "./large-row.ts";
import { readRow } from "./read-row.ts";
import { splitResult } from "./split-result.ts";

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

const csvLine = (values: unknown[]): string => `${values.map(csvValue).join(",")}\r\n`;

/** NULL is written as nothing and an empty string as "", so that parsers can distinguish them. */
function csvValue(value: unknown): string {
  if (value === null) return "";
  const text =
    typeof value === "string" ? value : typeof value === "object" ? JSON.stringify(value) : `${value}`;
  return text === "" || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
