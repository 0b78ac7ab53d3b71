import { UploadRefused } from "../upload-tasks.ts";
import { toDateText } from "./number-formats.ts";
import { readXml } from "./read-xml.ts";
import { decodeEscapes, type Sheet, type Workbook } from "./workbook.ts";
import { damaged, type ZipArchive } from "./zip-archive.ts";

const maxColumn = 16_384;

/** A value of a cell. Dates and times are texts. */
export type CellValue = string | number | boolean;

export interface SheetRow {
  /** As Excel counts rows, from 1. */
  number: number;
  /** The values by the position of their column, from 0. Without those that are empty. */
  cells: Map<number, CellValue>;
}

/** The rows of a sheet that have values, a few at a time. */
export async function* readRows(
  archive: ZipArchive,
  sheet: Sheet,
  workbook: Workbook,
): AsyncGenerator<SheetRow[]> {
  let rows: SheetRow[] = [];
  let row: SheetRow = { number: 0, cells: new Map() };
  let cell = newCell(-1);
  let isInValue = false;
  const reading = readXml(archive.read(sheet.part), {
    open(name, attribute) {
      if (name === "row") {
        row = { number: Number(attribute("r") ?? row.number + 1), cells: new Map() };
        cell = newCell(-1);
      } else if (name === "c") {
        const place = attribute("r");
        cell = newCell(place === undefined ? cell.column + 1 : columnOf(place));
        cell.type = attribute("t") ?? "n";
        cell.style = Number(attribute("s") ?? 0);
      } else if (name === "f") cell.hasFormula = true;
      else if (name === "v" || name === "t") {
        isInValue = true;
        cell.hasValue = true;
      }
    },
    text(piece) {
      if (isInValue) cell.text += piece;
    },
    close(name) {
      if (name === "v" || name === "t") isInValue = false;
      else if (name === "c") {
        const value = toValue(cell, row.number, workbook);
        if (value !== "") row.cells.set(cell.column, value);
      } else if (name === "row" && row.cells.size > 0) rows.push(row);
    },
  });
  for await (const _ of reading) {
    yield rows;
    rows = [];
  }
  yield rows;
}

interface Cell {
  column: number;
  type: string;
  style: number;
  text: string;
  hasValue: boolean;
  hasFormula: boolean;
}

const newCell = (column: number): Cell => ({
  column,
  type: "n",
  style: 0,
  text: "",
  hasValue: false,
  hasFormula: false,
});

/** The column of a place such as `AB12`, from 0. */
function columnOf(place: string): number {
  let column = 0;
  for (const letter of /^[A-Z]{1,3}/.exec(place)?.[0] ?? "") column = column * 26 + letter.charCodeAt(0) - 64;
  if (column < 1 || column > maxColumn) throw damaged();
  return column - 1;
}

/** The letters of a column: `AB`. */
function lettersOf(column: number): string {
  const rest = Math.floor(column / 26);
  return `${rest > 0 ? lettersOf(rest - 1) : ""}${String.fromCharCode(65 + (column % 26))}`;
}

/** An empty text for a cell without a value. */
function toValue(cell: Cell, row: number, { texts, kinds, is1904 }: Workbook): CellValue {
  const { type, text } = cell;
  const place = `Cell ${lettersOf(cell.column)}${row}`;
  if (!cell.hasValue) {
    if (cell.hasFormula) {
      throw refused(
        `${place} has a formula without a stored result. Open the file in Excel, save it, and upload it again.`,
      );
    }
    return "";
  }
  switch (type) {
    case "s": {
      const shared = texts[Number(text)];
      if (shared === undefined) throw damaged();
      return shared;
    }
    case "str":
    case "inlineStr":
      return decodeEscapes(text);
    case "b":
      return text === "1" || text === "true";
    case "d":
      return text.replace("T", " ").replace(/Z$/, "");
    case "e":
      throw refused(
        `${place} has the error ${text}. Correct the cell or delete its content, and upload the file again.`,
      );
  }
  if (text.trim() === "") return "";
  const number = Number(text);
  if (!Number.isFinite(number)) throw damaged();
  const kind = kinds[cell.style] ?? "number";
  if (kind === "number") return number;
  const date = toDateText(number, kind, is1904);
  if (date === undefined) {
    throw refused(
      `${place} is shown as a date or a time, but its number ${text} is none. Correct the cell or its format, and upload the file again.`,
    );
  }
  return date;
}

const refused = (message: string) => new UploadRefused("unreadable", message);
