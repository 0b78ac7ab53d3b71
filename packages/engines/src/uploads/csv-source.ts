import { open } from "node:fs/promises";
import { sql, sqlList, sqlMap, sqlString, type TrustedSql } from "../duckdb/trusted-sql.ts";
import { type CsvHeader, countCsvRows, findCsvLine, readCsvHeader } from "./csv-file.ts";
import { castText, holdsText } from "./exact-values.ts";
import { checkColumns, type FileSource } from "./file-source.ts";
import { lookOfText } from "./guess-type.ts";

const headerBytes = 1024 ** 2;

export async function openCsv(path: string): Promise<FileSource> {
  const header = readCsvHeader(await readStart(path));
  checkColumns(header.names);
  const text = (column: number) => sql`c${column}`;
  return {
    names: header.names,
    rowCount: await countCsvRows(path, header),
    from: sql`read_csv(${csvOptions(path, header)})`,
    textType: "VARCHAR",
    text,
    look: (column) => lookOfText(text(column)),
    holds: (column, target) => holdsText(target, text(column)),
    cast: (column, target) => castText(target, text(column)),
    placeOf: async (row) => `Line ${await findCsvLine(path, header, row)}`,
  };
}

/** RFC 4180: an empty value is NULL, one in quotes is an empty text. All values are read as text. */
const csvOptions = (path: string, { delimiter, names, lineEnd }: CsvHeader): TrustedSql =>
  sqlList([
    sqlString(path),
    sql`auto_detect = false`,
    sql`delim = ${sqlString(delimiter)}`,
    ...newLine(lineEnd),
    sql`quote = '"', escape = '"', header = true, skip = 0, comment = ''`,
    sql`strict_mode = true, null_padding = false, allow_quoted_nulls = false`,
    sql`columns = ${sqlMap(names.map((_, column) => [`c${column}`, "VARCHAR"]))}`,
  ]);

/** DuckDB loses rows if CRLF is set. It detects CRLF itself if no other line break comes first. */
const newLine = (lineEnd: CsvHeader["lineEnd"]): TrustedSql[] =>
  lineEnd === "\r\n" ? [] : [lineEnd === "\n" ? sql`new_line = '\n'` : sql`new_line = '\r'`];

async function readStart(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headerBytes), 0, headerBytes, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
