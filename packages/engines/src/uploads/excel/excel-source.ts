import { readStart, writeChunks } from "../decode-file.ts";
import { type AskedReading, type FileSource, nameColumns, namesMostOf } from "../file-source.ts";
import { openWrittenLines } from "../json-lines-source.ts";
import { askAboutTitle } from "../open-questions.ts";
import { refuseOtherKinds } from "../other-kinds.ts";
import { type NamesBefore, type OpenQuestion, type UploadedFile, UploadRefused } from "../upload-tasks.ts";
import { type CellValue, jsonOf } from "./cell-values.ts";
import { type MergedCells, readRows, type SheetRow } from "./sheet-rows.ts";
import { readWorkbook, type Sheet } from "./workbook.ts";
import { openZip, refuseDocument } from "./zip-archive.ts";

const pieceLength = 1024 ** 2;
/** DuckDB's limit for a line of JSON. */
const maxRowBytes = 16 * 1024 ** 2;

/** Opens a sheet of an Excel file. Its rows are written as JSON lines, so that numbers and texts stay apart. */
export async function openExcel(
  file: UploadedFile & { target: string },
  asked: AskedReading,
): Promise<FileSource> {
  const { found, namesBefore } = asked;
  refuseOtherKinds(await readStart(file.path, 512));
  const archive = await openZip(file.path, file.maxUnpackedBytes);
  refuseDocument(archive);
  const workbook = await readWorkbook(archive);
  const visible = workbook.sheets.filter(({ isHidden }) => !isHidden);
  found.sheets = workbook.sheets.map(({ name }) => name);
  const first = visible[0] ?? workbook.sheets[0];
  found.reading = { sheet: asked.sheet ?? first?.name, header: asked.header ?? 1 };
  const sheet = findSheet(workbook.sheets, first, asked.sheet);
  const written: WrittenRows = { names: new Map(), nameRow: 0, columns: new Set(), rows: [] };
  const merged: MergedCells[] = [];
  const { hasNamesAsBefore, rows } = await findNamesBefore(
    readRows(archive, sheet, workbook, merged),
    asked.header === undefined ? namesBefore : undefined,
  );
  const reading = { ...asked, ...(hasNamesAsBefore && { header: namesBefore?.header }) };
  await writeChunks(file.target, toLines(rows, reading.header, written), file.maxUnpackedBytes);
  if (written.rows.length === 0) throw noRows(sheet, workbook.sheets, written);
  const columns = [...new Set([...written.names.keys(), ...written.columns])].sort(
    (one, other) => one - other,
  );
  const given = columns.map((column) => String(written.names.get(column) ?? "").trim());
  const { names, renamed } = nameColumns(given);
  const source = openWrittenLines(file.target, columns.map(keyOf));
  return {
    ...source,
    names,
    rowCount: written.rows.length,
    placeOf: async (row) => `Row ${written.rows[row - 1]}`,
    reading: { sheet: sheet.name, header: reading.header === 0 ? 0 : written.nameRow },
    hasNamesAsBefore,
    sheets: found.sheets,
    notes: noteMerged(merged.filter(({ lastRow }) => lastRow >= written.nameRow)),
    questions: [
      ...(reading.sheet === undefined ? askAboutSheet(visible) : []),
      ...(reading.header === undefined ? askAboutTitle("Row", written.nameRow, given) : []),
    ],
    renamed: reading.header === 0 ? [] : renamed,
    ...(reading.header === undefined && {
      supposedNames: { place: `Row ${written.nameRow}`, line: written.nameRow, values: given },
    }),
  };
}

const shownRanges = 5;

function noteMerged(merged: readonly MergedCells[]): string[] {
  if (merged.length === 0) return [];
  const ranges = merged.slice(0, shownRanges).map(({ range }) => range);
  const more = merged.length > shownRanges ? " and others" : "";
  return [
    `The sheet has merged cells: ${ranges.join(", ")}${more}. The first cell of each has its value, and the others are NULL.`,
  ];
}

function findSheet(sheets: readonly Sheet[], first: Sheet | undefined, asked: string | undefined): Sheet {
  const sheet =
    asked === undefined ? first : sheets.find(({ name }) => name.toLowerCase() === asked.toLowerCase());
  if (sheet) return sheet;
  throw refused(`The file has no sheet ${asked}. It has: ${listNames(sheets)}.`);
}

const shownSheets = 20;

function listNames(sheets: readonly Sheet[]): string {
  const names = sheets.slice(0, shownSheets).map(({ name }) => name);
  const more = sheets.length - names.length;
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function noRows(sheet: Sheet, sheets: readonly Sheet[], { names }: WrittenRows): UploadRefused {
  const where = names.size > 0 ? " below the names of its columns" : "";
  const others = sheets.filter((one) => one !== sheet);
  return refused(
    others.length === 0
      ? `The sheet ${sheet.name} has no rows with values${where}, and the file has no other sheet. Choose another row of names (header), or another file.`
      : `The sheet ${sheet.name} has no rows with values${where}. Choose another sheet (${listNames(others)}), or another row of names (header).`,
  );
}

type Rows = AsyncGenerator<SheetRow[]>;

/** Looks whether the names of a table's columns are in the same row as before, and in no row above it. */
async function findNamesBefore(
  batches: Rows,
  namesBefore: NamesBefore | undefined,
): Promise<{ hasNamesAsBefore: boolean; rows: Rows }> {
  if (!namesBefore) return { hasNamesAsBefore: false, rows: batches };
  const { header, columns } = namesBefore;
  const first: SheetRow[] = [];
  while ((first.at(-1)?.number ?? 0) < header) {
    const { done, value } = await batches.next();
    if (done) break;
    first.push(...value);
  }
  const names = first.find(
    ({ number, cells }) => number >= header || namesMostOf(columns, [...cells.values()].map(String)),
  );
  const isSameRow = names?.number === header && namesMostOf(columns, [...names.cells.values()].map(String));
  async function* all(): Rows {
    yield first;
    yield* batches;
  }
  return { hasNamesAsBefore: header === 0 || isSameRow, rows: all() };
}

interface WrittenRows {
  names: Map<number, CellValue>;
  nameRow: number;
  /** The columns that have values. */
  columns: Set<number>;
  /** The numbers of the rows, as Excel counts them. */
  rows: number[];
}

/** The rows after the one with the names, as lines of JSON. Fills `written`. */
async function* toLines(
  batches: Rows,
  header: number | undefined,
  written: WrittenRows,
): AsyncGenerator<Uint8Array> {
  let lines = "";
  for await (const batch of batches) {
    for (const { number, cells } of batch) {
      if (header !== 0 && written.nameRow === 0) {
        if (header !== undefined && number < header) continue;
        if (header !== undefined && number > header)
          throw refused(`Row ${header} is empty. Choose the row with the names of the columns.`);
        written.nameRow = number;
        written.names = cells;
        continue;
      }
      for (const column of cells.keys()) written.columns.add(column);
      written.rows.push(number);
      lines += lineOf(number, cells);
      // A cell can refer to a long text that the file has once, so a few rows can make a large piece.
      if (lines.length < pieceLength) continue;
      yield Buffer.from(lines);
      lines = "";
    }
  }
  yield Buffer.from(lines);
}

function lineOf(row: number, cells: SheetRow["cells"]): string {
  const members: string[] = [];
  let length = 0;
  for (const [column, value] of cells) {
    const member = `"${keyOf(column)}":${jsonOf(value)}`;
    length += member.length;
    if (length > maxRowBytes) throw rowTooLong(row);
    members.push(member);
  }
  const line = `{${members.join()}}\n`;
  // A character has up to three bytes.
  if (line.length * 3 > maxRowBytes && Buffer.byteLength(line) > maxRowBytes) throw rowTooLong(row);
  return line;
}

const rowTooLong = (row: number): UploadRefused =>
  refused(
    `Row ${row} has more than the 16 MiB that it may have. Shorten its texts, and upload the file again.`,
  );

const keyOf = (column: number): string => `c${column}`;

const askAboutSheet = (visible: readonly Sheet[]): OpenQuestion[] =>
  visible.length < 2
    ? []
    : [
        {
          about: "sheet",
          message: `The file has ${visible.length} sheets: ${listNames(visible)}. Send sheet with the name of one.`,
        },
      ];

const refused = (message: string) => new UploadRefused("unreadable", message);
