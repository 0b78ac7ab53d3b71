import { UploadRefused } from "./upload-tasks.ts";

const delimiters = [",", ";", "\t", "|"] as const;
type Delimiter = (typeof delimiters)[number];

export interface CsvHeader {
  delimiter: Delimiter;
  names: string[];
}

/**
 * Reads the names of the columns from the start of a CSV file. The delimiter is the one that gives the first line most
 * columns. DuckDB could guess both, but where a line is broken it chooses another delimiter instead of reporting it.
 */
export function readCsvHeader(start: string): CsvHeader {
  const text = start.replace(/^\ufeff/, "");
  if (text.trim() === "") {
    throw new UploadRefused(
      "unreadable",
      "The file is empty. Upload one whose first line names the columns.",
    );
  }
  const counted = delimiters.map((delimiter) => ({ delimiter, names: readFirstRecord(text, delimiter) }));
  const best = counted.reduce((most, next) => (next.names.length > most.names.length ? next : most));
  return { delimiter: best.delimiter, names: best.names.map((name) => name.trim()) };
}

function readFirstRecord(text: string, delimiter: Delimiter): string[] {
  const values: string[] = [];
  let value = "";
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (isQuoted) {
      if (character !== '"') value += character;
      else if (text[at + 1] === '"') value += text[++at];
      else isQuoted = false;
    } else if (character === '"' && value === "") isQuoted = true;
    else if (character === delimiter) {
      values.push(value);
      value = "";
    } else if (character === "\n" || character === "\r") break;
    else value += character;
  }
  if (isQuoted) {
    throw new UploadRefused(
      "unreadable",
      "Line 1 has a quote that is not closed. Correct it, and upload the file again.",
    );
  }
  return [...values, value];
}
