import type { FileReading } from "@querybell/domain/file-reading";
import { delimiters } from "@querybell/domain/upload-formats";
import { sql, sqlList, sqlMap, sqlString, type TrustedSql } from "../duckdb/trusted-sql.ts";
import {
  type CsvHeader,
  countCsvRows,
  findCsvLine,
  readCsvHeader,
  readFirstRecords,
  suggestNamesLine,
} from "./csv-file.ts";
import { type DecodedFile, readChunks, readStart, writeChunks } from "./decode-file.ts";
import { castText, holdsText } from "./exact-values.ts";
import { type AskedReading, type FileSource, nameColumns, namesMostOf } from "./file-source.ts";
import { lookOfText } from "./guess-type.ts";
import { askAboutTitle, looksLikeValue } from "./open-questions.ts";
import { type NamesBefore, type OpenQuestion, UploadRefused } from "./upload-tasks.ts";

const startBytes = 1024 ** 2;

interface CsvFile extends DecodedFile {
  /** Where a copy without the first lines can be written. */
  target: string;
  maxBytes: number;
}

export async function openCsv(file: CsvFile, asked: AskedReading): Promise<FileSource> {
  const { found, namesBefore } = asked;
  const start = await readStart(file.path, startBytes);
  const hasNamesAsBefore = asked.header === undefined && hasNamesOf(start, namesBefore);
  const reading = { ...asked, ...(hasNamesAsBefore && { header: namesBefore?.header }) };
  found.reading = { encoding: file.encoding, header: reading.header ?? 1 };
  const suggested = reading.header === undefined ? suggestNamesLine(lookedAt(start)) : undefined;
  if (suggested !== undefined) found.suggestedHeader = suggested;
  const skipped = findFirstLine(start, reading.header);
  const header = readCsvHeader(start.toString("utf8", skipped.offset), {
    delimiter: reading.delimiter ?? skipped.delimiter,
    hasNames: reading.header !== 0,
    firstLine: skipped.line,
  });
  const read: FileReading = {
    encoding: file.encoding,
    delimiter: header.delimiter,
    header: header.hasNames ? header.firstLine : 0,
  };
  found.reading = read;
  let { path } = file;
  if (skipped.offset > 0) {
    await writeChunks(file.target, readChunks(file.path, skipped.offset), file.maxBytes);
    path = file.target;
  }
  const { rowCount, width } = await countCsvRows(path, header).catch((error: unknown) => {
    throw suggested === undefined ? error : withSuggestion(error, suggested);
  });
  const { names, renamed } = nameColumns(
    Array.from({ length: width }, (_, column) => (header.hasNames ? (header.names[column] ?? "") : "")),
  );
  const text = (column: number) => sql`c${column}`;
  return {
    names,
    rowCount,
    from: sql`read_csv(${csvOptions(path, header, width)})`,
    textType: "VARCHAR",
    text,
    textColumns: (column) => [text(column)],
    look: (column) => lookOfText(text(column)),
    holds: (column, target) => holdsText(target, text(column)),
    cast: (column, target) => castText(target, text(column)),
    placeOf: async (row) => `Line ${await findCsvLine(path, header, row)}`,
    reading: read,
    hasNamesAsBefore,
    questions: [
      ...(file.question ? [file.question] : []),
      ...(reading.header === undefined ? askAboutFirstLine(start, header, names.length, suggested) : []),
    ],
    renamed: header.hasNames ? renamed : [],
    ...(reading.header === undefined && {
      supposedNames: {
        place: `Line ${header.firstLine}`,
        line: header.firstLine,
        values: header.names.slice(0, width),
      },
    }),
  };
}

const lookedAtBytes = 64 * 1024;
/** Without a line that is cut off. */
function lookedAt(start: Buffer): string {
  const text = start.toString("utf8", 0, lookedAtBytes);
  return start.length <= lookedAtBytes
    ? text
    : text.slice(0, Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")));
}

/** Whether the names of a table's columns are in the same line as before, and in no line above it. */
function hasNamesOf(start: Buffer, namesBefore: NamesBefore | undefined): boolean {
  if (!namesBefore) return false;
  const { header, columns } = namesBefore;
  if (header === 0) return true;
  return delimiters.some((delimiter) => {
    const first = readFirstRecords(start.toString("utf8"), delimiter, header).find(
      ({ values, line }) => line >= header || namesMostOf(columns, values),
    );
    return first !== undefined && first.line >= header && namesMostOf(columns, first.values);
  });
}

function withSuggestion(error: unknown, line: number): unknown {
  if (!(error instanceof UploadRefused)) return error;
  return new UploadRefused(
    error.reason,
    `${error.message} Or read it with header ${line}, if line ${line} has the names of the columns.`,
  );
}

/** A line that names few columns, or has a blank line below it, is often a title. */
function askAboutFirstLine(
  start: Buffer,
  { names, firstLine, delimiter }: CsvHeader,
  width: number,
  suggested: number | undefined,
): OpenQuestion[] {
  const given = Array.from({ length: width }, (_, column) => names[column] ?? "");
  const [question] = askAboutTitle("Line", firstLine, given, suggested);
  if (question || width < 2) return question ? [question] : [];
  const [first, second] = readFirstRecords(lookedAt(start), delimiter, 3).filter(
    ({ line }) => line >= firstLine,
  );
  const height = first?.values.join("").split(/\r\n|\r|\n/).length ?? 1;
  const isApart = second !== undefined && second.line > firstLine + height;
  if (
    !isApart ||
    second.values.length < width ||
    second.values.some((value) => value.trim() === "" || looksLikeValue.test(value))
  )
    return [];
  return [
    {
      about: "header",
      message: `Line ${firstLine} can have the names of the columns, or a title, as a blank line is below it. Send header: ${firstLine} if it names the columns, or header: ${second.line} if that line does.`,
    },
  ];
}

interface SkippedLines {
  /** Where the first line begins that is read. */
  offset: number;
  /** Its number. */
  line: number;
  delimiter?: CsvHeader["delimiter"];
}

/** Skips blank lines, Excel's `sep=;` and, if the names are on a later line, everything before it. */
function findFirstLine(start: Buffer, header = 1): SkippedLines {
  const found: SkippedLines = { offset: 0, line: 1 };
  for (;;) {
    const end = endOfLine(start, found.offset);
    const text = start.toString("utf8", found.offset, end).replace(/^\ufeff/, "");
    const separator = found.line === 1 ? /^"?sep=(.)"?[\r\n]*$/i.exec(text)?.[1] : undefined;
    if (separator !== undefined) found.delimiter = toDelimiter(separator);
    const isSkipped = separator !== undefined || found.line < header || /^[ \r\n]*$/.test(text);
    if (isSkipped && end >= start.length && found.line < header) throw afterEnd(header, start.length);
    if (!isSkipped || end >= start.length) return found;
    found.offset = end;
    found.line++;
  }
}

const afterEnd = (header: number, bytes: number) =>
  new UploadRefused(
    "unreadable",
    bytes < startBytes
      ? `The file has no line ${header}. Choose the line with the names of the columns (header).`
      : `Line ${header} is not in the first MiB of the file. Choose an earlier line with the names of the columns (header).`,
  );

/** The position after the line break. */
function endOfLine(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== 0x0a && bytes[at] !== 0x0d) at++;
  return bytes[at] === 0x0d && bytes[at + 1] === 0x0a ? at + 2 : Math.min(at + 1, bytes.length);
}

function toDelimiter(separator: string): CsvHeader["delimiter"] {
  const delimiter = delimiters.find((one) => one === separator);
  if (delimiter) return delimiter;
  throw new UploadRefused(
    "unreadable",
    `Line 1 says that ${separator} separates the values. Use a comma, a semicolon, a tab or |, and upload the file again.`,
  );
}

/** RFC 4180: an empty value is NULL, one in quotes is an empty text. All values are read as text. */
const csvOptions = (path: string, { delimiter, lineEnd, hasNames }: CsvHeader, width: number): TrustedSql =>
  sqlList([
    sqlString(path),
    sql`auto_detect = false`,
    sql`delim = ${sqlString(delimiter)}`,
    ...newLine(lineEnd),
    sql`quote = '"', escape = '"', header = ${hasNames ? sql`true` : sql`false`}, skip = 0, comment = ''`,
    sql`strict_mode = true, null_padding = false, allow_quoted_nulls = false`,
    sql`columns = ${sqlMap(Array.from({ length: width }, (_, column) => [`c${column}`, "VARCHAR"] as const))}`,
  ]);

/** DuckDB loses rows if CRLF is set. It detects CRLF itself if no other line break comes first. */
const newLine = (lineEnd: CsvHeader["lineEnd"]): TrustedSql[] =>
  lineEnd === "\r\n" ? [] : [lineEnd === "\n" ? sql`new_line = '\n'` : sql`new_line = '\r'`];
