import { shorten } from "@querybell/domain/text";
import { UploadRefused } from "../upload-tasks.ts";
import { toDateText } from "./number-formats.ts";
import { decodeEscapes, type Workbook } from "./workbook.ts";
import { damaged } from "./zip-archive.ts";

/** The characters that a cell may have. Excel itself allows 32,767. */
const maxTextLength = 1_000_000;

/** A value of a cell. Dates and times are texts. */
export type CellValue = string | number | boolean | ExactNumber;

/** A number with more digits than its double has. */
class ExactNumber {
  readonly #digits: string;

  constructor(digits: string) {
    this.#digits = digits;
  }

  toString(): string {
    return this.#digits;
  }
}

/** A value as JSON. */
export function jsonOf(value: CellValue): string {
  if (value instanceof ExactNumber) return String(value);
  return Object.is(value, -0) ? "-0" : JSON.stringify(value);
}

export interface Cell {
  row: number;
  column: number;
  type: string;
  style: number;
  text: string;
  /** The element that has the value. One of `is` can have several parts. */
  element: "v" | "is" | undefined;
  hasValue: boolean;
  hasFormula: boolean;
}

export const newCell = (row: number, column: number): Cell => ({
  row,
  column,
  type: "n",
  style: 0,
  text: "",
  element: undefined,
  hasValue: false,
  hasFormula: false,
});

export function addText(cell: Cell, piece: string): void {
  cell.text += piece;
  if (cell.text.length > maxTextLength) throw tooLong(cell);
}

const tooLong = (cell: Cell): UploadRefused =>
  refused(
    `${placeOf(cell)} has more than 1,000,000 characters. Shorten its text, and upload the file again.`,
  );

/** For a sentence: `Cell AB12`. */
export const placeOf = ({ row, column }: Cell): string => `Cell ${lettersOf(column)}${row}`;

/** The letters of a column: `AB`. */
function lettersOf(column: number): string {
  const rest = Math.floor(column / 26);
  return `${rest > 0 ? lettersOf(rest - 1) : ""}${String.fromCharCode(65 + (column % 26))}`;
}

/** An empty text for a cell without a value. */
export function toValue(cell: Cell, workbook: Workbook): CellValue {
  const { type, text } = cell;
  // Programs that do not compute leave the value out, or leave it empty.
  if (cell.hasFormula && type !== "str" && text === "") {
    throw refused(
      `${placeOf(cell)} has a formula without a stored result. Open the file in Excel, save it, and upload it again.`,
    );
  }
  if (!cell.hasValue) return "";
  switch (type) {
    case "s":
      return text === "" ? "" : wellFormed(cell, sharedText(cell, workbook));
    case "str":
    case "inlineStr":
      return wellFormed(cell, decodeEscapes(text));
    case "n":
      return toNumberOrDate(cell, workbook);
    case "b":
      return toBoolean(cell);
    case "d":
      return toDate(cell);
    case "e":
      throw refused(
        `${placeOf(cell)} has the error ${shorten(text, shownLength)}. Correct the cell or delete its content, and upload the file again.`,
      );
  }
  throw damaged();
}

function sharedText(cell: Cell, { texts }: Workbook): string {
  const shared = /^\d+$/.test(cell.text) ? texts[Number(cell.text)] : undefined;
  if (shared === undefined) throw damaged();
  if (shared.length > maxTextLength) throw tooLong(cell);
  return shared;
}

function wellFormed(cell: Cell, text: string): string {
  if (text.isWellFormed()) return text;
  throw refused(
    `${placeOf(cell)} has half of a surrogate pair, which is no character. Correct it, and upload the file again.`,
  );
}

function toBoolean(cell: Cell): boolean | "" {
  const text = cell.text.trim().toLowerCase();
  if (text === "") return "";
  if (text !== "0" && text !== "1" && text !== "false" && text !== "true")
    throw noValue(cell, "TRUE or FALSE");
  return text === "1" || text === "true";
}

const isoDate = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

function toDate(cell: Cell): string {
  const text = cell.text.trim();
  if (text !== "" && !isoDate.test(text)) throw noValue(cell, "a date");
  return text.replace("T", " ").replace(/Z$/, "");
}

const decimal = /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/;

function toNumberOrDate(cell: Cell, { kinds, is1904 }: Workbook): CellValue {
  const text = cell.text.trim();
  if (text === "") return "";
  if (!decimal.test(text)) throw noValue(cell, "a number");
  const number = Number(text);
  const kind = kinds[cell.style] ?? "number";
  if (kind === "number") return toExactNumber(text, number);
  const date = toDateText(number, kind, is1904);
  if (date !== undefined) return date;
  throw refused(
    `${placeOf(cell)} is shown as a date or a time, but its number ${shorten(text, shownLength)} is none. Correct the cell or its format, and upload the file again.`,
  );
}

/** Numbers of so many digits are the shortest form of their double. */
const safeDigits = 15;
/** Of `toPrecision`. */
const maxPrecision = 100;

/** Excel stores doubles, in up to 17 digits: 0.10000000000000001 is 0.1. Other programs write longer numbers. */
function toExactNumber(text: string, number: number): CellValue {
  if (text.length <= safeDigits && !/e/i.test(text)) return number;
  const digits = significantDigits(text);
  if (digits === significantDigits(String(number))) return number;
  const isWhole = /^-?\d+$/.test(text);
  const isOfDouble =
    !isWhole &&
    digits.length > safeDigits &&
    digits.length <= maxPrecision &&
    significantDigits(number.toPrecision(digits.length)) === digits;
  return isOfDouble ? number : new ExactNumber(asInJson(text));
}

/** A number without zeros before it, and with one before a point. */
const asInJson = (text: string): string =>
  text.replace(/^(-?)0+(?=\d)/, "$1").replace(/^(-?)\./, (_, sign: string) => `${sign}0.`);

/** The digits of a number without zeros at either end. */
function significantDigits(text: string): string {
  const [mantissa = ""] = text.split(/e/i, 1);
  const digits = mantissa.replaceAll(/[-.]/g, "").replace(/^0+/, "");
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return digits.slice(0, end);
}

const noValue = (cell: Cell, what: string): UploadRefused =>
  refused(
    `${placeOf(cell)} has “${shorten(cell.text, shownLength)}”, which is not ${what}. Correct the cell, and upload the file again.`,
  );

const shownLength = 100;

const refused = (message: string) => new UploadRefused("unreadable", message);
