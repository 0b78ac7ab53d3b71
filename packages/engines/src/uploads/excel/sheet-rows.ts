import { shorten } from "@querybell/domain/text";
import { UploadRefused } from "../upload-tasks.ts";
import { addText, type Cell, type CellValue, newCell, placeOf, toValue } from "./cell-values.ts";
import { readXml } from "./read-xml.ts";
import type { Sheet, Workbook } from "./workbook.ts";
import type { ZipArchive } from "./zip-archive.ts";

const maxColumn = 16_384;

export interface SheetRow {
  /** As Excel counts rows, from 1. */
  number: number;
  /** The values by the position of their column, from 0. Without those that are empty. */
  cells: Map<number, CellValue>;
}

/** Cells of a sheet that are merged. They come after its rows. */
export interface MergedCells {
  /** Such as `A2:A3`. */
  range: string;
  lastRow: number;
}

const maxRanges = 1000;

function addMerged(merged: MergedCells[], range = ""): void {
  const [, lastRow] = /^[A-Z]{1,3}[0-9]{1,7}:[A-Z]{1,3}([0-9]{1,7})$/.exec(range) ?? [];
  if (lastRow !== undefined && merged.length < maxRanges) merged.push({ range, lastRow: Number(lastRow) });
}

/** The rows of a sheet that have values, a few at a time. */
export async function* readRows(
  archive: ZipArchive,
  sheet: Sheet,
  workbook: Workbook,
  merged: MergedCells[],
): AsyncGenerator<SheetRow[]> {
  let rows: SheetRow[] = [];
  let row: SheetRow = { number: 0, cells: new Map() };
  let cell = newCell(row.number, -1);
  let isInValue = false;
  let isPhonetic = false;
  const reading = readXml(archive.read(sheet.part), {
    open(name, attribute) {
      if (name === "row") {
        row = { number: numberOfRow(attribute("r"), row.number), cells: new Map() };
        cell = newCell(row.number, -1);
      } else if (name === "c") {
        cell = newCell(row.number, columnOf(attribute("r"), cell));
        cell.type = attribute("t") ?? "n";
        cell.style = Number(attribute("s") ?? 0);
      } else if (name === "f") cell.hasFormula = true;
      else if (name === "mergeCell") addMerged(merged, attribute("ref"));
      else if (name === "rPh") isPhonetic = true;
      else if (name === "is" || name === "v" || (name === "t" && !isPhonetic)) {
        const isNextPart = name === "t" && cell.element === "is";
        // They would be joined to one value.
        if (!isNextPart && cell.text !== "") throw hasTwoValues(cell);
        cell.element = name === "v" ? "v" : "is";
        isInValue = name !== "is";
        cell.hasValue ||= isInValue;
      }
    },
    text(piece) {
      if (isInValue) addText(cell, piece);
    },
    close(name) {
      if (name === "v" || name === "t") isInValue = false;
      else if (name === "rPh") isPhonetic = false;
      else if (name === "c") {
        const value = toValue(cell, workbook);
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

/** Rows come in order, and each once. One without a number follows the one before it. */
function numberOfRow(given: string | undefined, previous: number): number {
  const number = Number(given ?? previous + 1);
  if (!Number.isSafeInteger(number) || number <= previous)
    throw misplaced(`Row ${shorten(given ?? String(number), shownLength)}`);
  return number;
}

/** The column of a place such as `AB12`, from 0. The columns of a row come in order, and each once. */
function columnOf(place: string | undefined, previous: Cell): number {
  if (place === undefined) {
    const next = newCell(previous.row, previous.column + 1);
    if (next.column >= maxColumn) throw misplaced(placeOf(next));
    return next.column;
  }
  const [, letters = "", row] = /^([A-Z]{1,3})([0-9]{1,7})$/.exec(place) ?? [];
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  const isNext = column - 1 > previous.column && Number(row) === previous.row;
  if (!isNext || column > maxColumn)
    throw misplaced(`Cell ${shorten(place, shownLength)} in row ${previous.row}`);
  return column - 1;
}

const shownLength = 30;

const saveAgain = "Open the file in Excel, save it again as .xlsx, and upload that.";

const misplaced = (place: string): UploadRefused =>
  new UploadRefused("unreadable", `${place} is not where the file may have it, or comes twice. ${saveAgain}`);

const hasTwoValues = (cell: Cell): UploadRefused =>
  new UploadRefused("unreadable", `${placeOf(cell)} has two values. ${saveAgain}`);
