import { UploadRefused } from "./upload-tasks.ts";

const delimiters = [",", ";", "\t", "|"] as const;
type Delimiter = (typeof delimiters)[number];
type LineEnd = "\n" | "\r" | "\r\n";

/** A line break that is not CRLF. Where lines end with CRLF, DuckDB would not find their ends after it. */
const loneBreak = /(?:^|[^\r])\n|\r(?:[^\n]|$)/;

export interface CsvHeader {
  delimiter: Delimiter;
  names: string[];
  /** How the first line ends, and so all of them. */
  lineEnd: LineEnd;
}

/**
 * Reads the names of the columns from the start of a CSV file. The delimiter is the one that gives the first line most
 * columns. DuckDB could guess it, but where a line is broken it chooses another delimiter instead of reporting it.
 */
export function readCsvHeader(start: string): CsvHeader {
  const text = start.replace(/^\ufeff/, "");
  if (text.trim() === "") refuse("The file is empty. Upload one whose first line names the columns.");
  const read = delimiters.map((delimiter) => readFirstRecord(text, delimiter));
  const { isOpen, ...header } = read.reduce((most, next) =>
    next.names.length > most.names.length ? next : most,
  );
  if (isOpen) refuse("Line 1 has a quote that is not closed. Correct it, and upload the file again.");
  const names = header.names.map((name) => name.trim());
  // What no letter of UTF-8 is was decoded as this character.
  if (names.some((name) => name.includes("\ufffd"))) {
    refuse("Line 1 is not UTF-8. Save the file as UTF-8, and upload it again.");
  }
  const broken = header.lineEnd === "\r\n" ? header.names.findIndex((name) => loneBreak.test(name)) : -1;
  if (broken !== -1) {
    refuse(
      `The name of column ${broken + 1} has a line break. Write it on one line, and upload the file again.`,
    );
  }
  return { ...header, names };
}

interface FirstRecord extends CsvHeader {
  isOpen: boolean;
}

/** What follows a closing quote is refused when the rows are counted. */
function readFirstRecord(text: string, delimiter: Delimiter): FirstRecord {
  const names: string[] = [];
  let name = "";
  let isOpen = false;
  let at = 0;
  for (; at < text.length; at++) {
    const character = text[at] ?? "";
    if (isOpen) {
      if (character !== '"') name += character;
      else if (text[at + 1] === '"') name += text[++at];
      else isOpen = false;
    } else if (character === '"' && name.trim() === "") {
      isOpen = true;
      name = "";
    } else if (character === delimiter) {
      names.push(name);
      name = "";
    } else if (character === "\n" || character === "\r") break;
    else name += character;
  }
  const lineEnd = text[at] === "\r" ? (text[at + 1] === "\n" ? "\r\n" : "\r") : "\n";
  return { delimiter, names: [...names, name], lineEnd, isOpen };
}

function refuse(message: string): never {
  throw new UploadRefused("unreadable", message);
}
