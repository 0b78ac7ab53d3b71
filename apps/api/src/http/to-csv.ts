import { Field } from "@querybell/domain";
import { z } from "zod";
import { splitResult } from "./split-result.ts";

const Row = z.array(z.json());
type Value = z.infer<typeof Row>[number];

const writeOutBytes = 64 * 1024;

/** Turns a result's JSON into CSV (RFC 4180) as it comes; only one piece of it is in memory at a time. */
export async function* toCsv(json: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const names: string[] = [];
  let text = "";
  let hasHeader = false;
  const header = () => {
    if (!hasHeader) text += csvLine(names);
    hasHeader = true;
  };
  for await (const part of splitResult(json)) {
    if (part.kind === "field") names.push(Field.parse(JSON.parse(part.text)).name);
    else {
      header();
      text += csvLine(Row.parse(JSON.parse(part.text)));
    }
    if (text.length < writeOutBytes) continue;
    yield text;
    text = "";
  }
  header();
  yield text;
}

const csvLine = (values: Value[]): string => `${values.map(csvValue).join(",")}\r\n`;

/** NULL is nothing at all, and an empty text is "": what reads CSV carefully can tell them apart. */
function csvValue(value: Value): string {
  if (value === null) return "";
  const text =
    typeof value === "string" ? value : typeof value === "object" ? JSON.stringify(value) : `${value}`;
  return text === "" || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
