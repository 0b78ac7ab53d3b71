import { createReadStream } from "node:fs";
import { delimiters } from "@querybell/domain/upload-formats";
import { UploadRefused } from "./upload-tasks.ts";

type Delimiter = (typeof delimiters)[number];
type LineEnd = "\n" | "\r" | "\r\n";

/** A line break that is not CRLF. In a file with CRLF, DuckDB does not find the ends of lines after one. */
const loneBreak = /(?:^|[^\r])\n|\r(?:[^\n]|$)/;

export interface CsvHeader {
  delimiter: Delimiter;
  /** The values of the first line. */
  names: string[];
  /** How the first line ends, and so all of them. */
  lineEnd: LineEnd;
  /** Whether the first line has the names of the columns. */
  hasNames: boolean;
  /** The number of the first line in the uploaded file. */
  firstLine: number;
}

interface HeaderOptions {
  delimiter?: Delimiter | undefined;
  hasNames?: boolean;
  firstLine?: number;
}

/**
 * Reads the first line of a CSV file. The delimiter is the one that gives the first line most columns, unless it is
 * given. DuckDB could guess it, but where a line is broken it chooses another delimiter instead of reporting it.
 */
export function readCsvHeader(
  start: string,
  { delimiter: given, hasNames = true, firstLine = 1 }: HeaderOptions = {},
): CsvHeader {
  const text = start.replace(/^\ufeff/, "");
  if (text.trim() === "") throw refused("The file is empty. Upload one whose first line names the columns.");
  const asGiven = given && readFirstRecord(text, given);
  // A table remembers the delimiter of its files. One that a file does not have is not its delimiter.
  const read =
    asGiven && asGiven.names.length > 1 ? [asGiven] : delimiters.map((one) => readFirstRecord(text, one));
  const {
    isOpen,
    end: _,
    ...header
  } = read.reduce((most, next) => (next.names.length > most.names.length ? next : most));
  if (isOpen) throw openQuote(firstLine);
  const names = header.names.map((name) => name.trim());
  const broken = header.lineEnd === "\r\n" ? header.names.findIndex((name) => loneBreak.test(name)) : -1;
  if (broken !== -1) {
    throw refused(
      `The ${hasNames ? "name" : "first value"} of column ${broken + 1} has a line break. Write it on one line, and upload the file again.`,
    );
  }
  return { ...header, names, hasNames, firstLine };
}

interface FirstRecord extends Pick<CsvHeader, "delimiter" | "names" | "lineEnd"> {
  isOpen: boolean;
  /** The position of its line break. */
  end: number;
}

interface CsvRecord {
  /** The line on which it begins. */
  line: number;
  values: string[];
}

/** The first records of a text that have values. The last one may be cut off. */
export function readFirstRecords(text: string, delimiter: Delimiter, count: number): CsvRecord[] {
  const records: CsvRecord[] = [];
  let rest = text.replace(/^\ufeff/, "");
  for (let line = 1; rest !== "" && records.length < count; ) {
    const { names: values, end, lineEnd } = readFirstRecord(rest, delimiter);
    if (values.some((value) => value.trim() !== "")) records.push({ line, values });
    line += (rest.slice(0, end).match(/\r\n|\r|\n/g)?.length ?? 0) + 1;
    rest = rest.slice(end + lineEnd.length);
  }
  return records;
}

/** The line that looks like the names of the columns, below lines with fewer values, such as a title. */
export function suggestNamesLine(text: string): number | undefined {
  const suggestions = delimiters.flatMap((delimiter) => {
    const records = readFirstRecords(text, delimiter, 50);
    const counts = Map.groupBy(records, ({ values }) => filledOf(values));
    const [width, rows] = [...counts].reduce(
      (most, next) => (next[1].length > most[1].length ? next : most),
      [0, []],
    );
    const [names] = rows;
    if (!names || width < 2 || rows.length < 2 || names === records[0]) return [];
    const above = records.slice(0, records.indexOf(names));
    return above.every(({ values }) => filledOf(values) < width)
      ? [{ line: names.line, rows: rows.length }]
      : [];
  });
  return suggestions.sort((one, other) => other.rows - one.rows)[0]?.line;
}

/** The number of values, without empty ones at the end. */
const filledOf = (values: readonly string[]): number =>
  values.findLastIndex((value) => value.trim() !== "") + 1;

/** Text after a closing quote is refused later, when the rows are counted. */
function readFirstRecord(text: string, delimiter: Delimiter): FirstRecord {
  const names: string[] = [];
  let name = "";
  // Trimming a long name for each of its quotes would be slow.
  let isBlank = true;
  let isOpen = false;
  let at = 0;
  const add = (character: string) => {
    name += character;
    isBlank &&= character.trim() === "";
  };
  for (; at < text.length; at++) {
    const character = text[at] ?? "";
    if (isOpen) {
      if (character !== '"') add(character);
      else if (text[at + 1] === '"') add(text[++at] ?? "");
      else isOpen = false;
    } else if (character === '"' && isBlank) {
      isOpen = true;
      name = "";
    } else if (character === delimiter) {
      names.push(name);
      name = "";
      isBlank = true;
    } else if (character === "\n" || character === "\r") break;
    else add(character);
  }
  const lineEnd = text[at] === "\r" ? (text[at + 1] === "\n" ? "\r\n" : "\r") : "\n";
  return { delimiter, names: [...names, name], lineEnd, isOpen, end: at };
}

const [lineFeed, carriageReturn, quote, space] = [0x0a, 0x0d, 0x22, 0x20];
const byteOrderMark = Buffer.from("\ufeff");
const chunkBytes = 1024 ** 2;

/**
 * The scanner's position in a value. `closed`: right after the closing quote; `behind`: after a space there.
 */
const places = { start: 0, plain: 1, quoted: 2, closed: 3, behind: 4 } as const;

interface CsvRows {
  /** Without the line of names. */
  rowCount: number;
  /** The number of columns, without those at the end that have neither a name nor a value. */
  width: number;
}

/**
 * Counts the rows of a CSV file and refuses malformed ones. DuckDB does not refuse all of them: after some mistakes with
 * quotes it leaves out the rest of the file, or joins two values.
 */
export async function countCsvRows(path: string, header: CsvHeader): Promise<CsvRows> {
  const { rows, width } = await scanRows(path, header, Number.POSITIVE_INFINITY);
  return { rowCount: Math.max(0, header.hasNames ? rows - 1 : rows), width };
}

/** The line on which a row begins. Lines and rows are counted from 1, rows without the line of names. */
export const findCsvLine = (path: string, header: CsvHeader, row: number): Promise<number> =>
  scanRows(path, header, header.hasNames ? row + 1 : row).then(({ begin }) => begin);

interface ScannedRows {
  rows: number;
  /** The line on which the last of them begins. */
  begin: number;
  width: number;
}

/** Reads at most `maxRows` rows, including the first line. */
async function scanRows(
  path: string,
  { delimiter, names, lineEnd, hasNames, firstLine }: CsvHeader,
  maxRows: number,
): Promise<ScannedRows> {
  const separator = delimiter.charCodeAt(0);
  const columns = names.length;
  // A delimiter at the end of each line makes a column without a name and without values, which is left out.
  const named = names.findLastIndex((name) => name !== "") + 1;
  let width = named;
  let shortest = { count: columns, line: 0 };
  let place: number = places.start;
  // `values` counts the delimiters of a row, `filled` the values up to the last that is not empty.
  let [line, begin, rows, values, filled, previous] = [firstLine, firstLine, 0, 0, 0, 0];
  let isFirst = true;
  const endRow = () => {
    if (values + 1 < named || filled > columns) throw wrongCount(begin, values + 1, columns);
    if (values + 1 < shortest.count) shortest = { count: values + 1, line: begin };
    if (filled > width && (rows > 0 || !hasNames)) width = filled;
    rows++;
  };
  for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes }) as AsyncIterable<Buffer>) {
    const start = isFirst && chunk.indexOf(byteOrderMark) === 0 ? byteOrderMark.length : 0;
    isFirst = false;
    // Every byte passes here: an index is several times faster than an iterator.
    for (let at = start; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      const isBreak = byte === lineFeed || byte === carriageReturn;
      if (place === places.quoted) {
        if (byte === quote) place = places.closed;
        else if (isBreak && !(byte === lineFeed && previous === carriageReturn)) line++;
      } else if (byte === separator) {
        values++;
        place = places.start;
      } else if (isBreak) {
        const isSecondOfTwo = byte === lineFeed && previous === carriageReturn && lineEnd === "\r\n";
        if (isSecondOfTwo) {
          previous = byte;
          continue;
        }
        if (byte !== lineEnd.charCodeAt(0)) throw otherLineEnd(line);
        const isEmpty = values === 0 && filled === 0;
        // A row may have too many values if they are empty. An empty line is a row only in a file of one
        // column.
        if (!isEmpty || columns === 1) {
          endRow();
          if (rows === maxRows) return { rows, begin, width };
        }
        begin = ++line;
        values = 0;
        filled = 0;
        place = places.start;
      } else if (byte === quote && (place === places.start || place === places.closed)) {
        place = places.quoted;
        filled = values + 1;
      } else if (place >= places.closed) {
        if (byte !== space) throw brokenQuote(line);
        place = places.behind;
      } else if (place === places.start) {
        if (previous === carriageReturn && lineEnd === "\r\n" && filled + values === 0)
          throw otherLineEnd(line - 1);
        if (byte !== space) place = places.plain;
        filled = values + 1;
      }
      previous = byte;
    }
  }
  if (place === places.quoted) throw openQuote(begin);
  if (values > 0 || filled > 0) endRow();
  if (shortest.count < width) throw wrongCount(shortest.line, shortest.count, columns);
  return { rows, begin, width };
}

const refused = (message: string) => new UploadRefused("unreadable", message);

const wrongCount = (line: number, found: number, expected: number) =>
  refused(
    `Line ${line} has ${found} ${found === 1 ? "value" : "values"}, but the first line names ${expected} ${expected === 1 ? "column" : "columns"}. Correct that line, and upload the file again.`,
  );

const openQuote = (line: number) =>
  refused(`Line ${line} has a quote that is not closed. Correct it, and upload the file again.`);

const brokenQuote = (line: number) =>
  refused(
    `Line ${line} has text behind a closing quote. Write a quote in a quoted value twice (""), and upload the file again.`,
  );

const otherLineEnd = (line: number) =>
  refused(
    `Line ${line} ends in another way than the first line. Save the file with the same line ends everywhere, and upload it again.`,
  );
