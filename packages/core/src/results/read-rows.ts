import { AppError, type Caller, cutText, Field, type ResultInfo } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { toPlain } from "../plain-text.ts";
import { readResult } from "./read-result.ts";
import { readRow, splitResult } from "./split-result.ts";
import { unzipResult } from "./unzip-result.ts";

/** Which rows and columns of a result, and how much of them. */
interface WantedRows {
  info: ResultInfo;
  /** How many rows to skip. */
  offset: number;
  maxRows: number;
  /** The names of the columns; undefined for all. */
  columns?: readonly string[] | undefined;
  maxCellCharacters: number;
  /** Of the columns and rows, as JSON. */
  maxCharacters: number;
}

type Cell = string | number | boolean | null;

/** Some rows of a stored result, for a model. */
interface PlainRows {
  columns: Field[];
  /** How many columns the result has. */
  columnCount: number;
  rows: Cell[][];
  /** Whether there is a row after these. It was seen, not computed. */
  hasMore: boolean;
  /** The names of columns with a text that was cut. */
  cutColumns: string[];
}

const maxColumns = 100;
const maxNameCharacters = 200;
/** Parsing a longer row would block the event loop. */
const maxRowCharacters = 1024 ** 2;

/**
 * Reads rows of a stored result as a stream, up to the first row that is not wanted. Invisible characters in texts are
 * replaced by spaces.
 */
export async function readPlainRows(deps: Deps, caller: Caller, wanted: WantedRows): Promise<PlainRows> {
  const { info, offset, maxRows, maxCellCharacters } = wanted;
  const json = unzipResult(await readResult(deps, caller, info), info);
  const fields: Field[] = [];
  const rows: Cell[][] = [];
  const cutColumns = new Set<string>();
  let chosen: Chosen[] | undefined;
  let charactersLeft = wanted.maxCharacters;
  let [position, begun, hasMore] = [0, "", false];
  for await (const part of splitResult(json)) {
    if (part.kind === "field") {
      fields.push(Field.parse(JSON.parse(part.text)));
      continue;
    }
    const isWhole = part.kind === "row" || part.isLast;
    if (position < offset) {
      if (isWhole) position++;
      continue;
    }
    if (rows.length === maxRows) {
      hasMore = true;
      break;
    }
    begun += part.text;
    if (begun.length > maxRowCharacters) throw rowTooLarge(position);
    if (!isWhole) continue;
    chosen ??= chooseColumns(fields, wanted.columns);
    if (rows.length === 0) charactersLeft -= JSON.stringify(chosen.map(({ field }) => field)).length;
    const values = readRow(begun);
    const cells = chosen.map(({ index }) => toCell(values[index], maxCellCharacters));
    charactersLeft -= JSON.stringify(cells.map(({ cell }) => cell)).length + 1;
    if (charactersLeft < 0) {
      if (rows.length === 0) throw rowTooLong();
      hasMore = true;
      break;
    }
    for (const [at, { isCut }] of cells.entries()) if (isCut) cutColumns.add(chosen[at]?.field.name ?? "");
    rows.push(cells.map(({ cell }) => cell));
    position++;
    begun = "";
  }
  const columns = (chosen ?? chooseColumns(fields, wanted.columns)).map(({ field }) => field);
  return { columns, columnCount: fields.length, rows, hasMore, cutColumns: [...cutColumns] };
}

interface Chosen {
  field: Field;
  index: number;
}

function chooseColumns(fields: Field[], names: readonly string[] | undefined): Chosen[] {
  const all = fields.map(({ name, type }, index) => ({
    field: { name: toPlain(name, maxNameCharacters), type },
    index,
  }));
  if (!names) return all.slice(0, maxColumns);
  return names.slice(0, maxColumns).map((wanted) => {
    const found = all.find(({ field, index }) => field.name === wanted || fields[index]?.name === wanted);
    if (found) return found;
    throw new AppError(
      "invalid_request",
      `The result has no column ${JSON.stringify(wanted.slice(0, 200))}.`,
    );
  });
}

function toCell(value: unknown, maxCharacters: number): { cell: Cell; isCut: boolean } {
  if (typeof value === "number" || typeof value === "boolean" || value === null || value === undefined) {
    return { cell: value ?? null, isCut: false };
  }
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const isCut = text.length > maxCharacters;
  return { cell: toPlain(isCut ? `${cutText(text, maxCharacters)}…` : text, maxCharacters + 1), isCut };
}

const rowTooLarge = (position: number) =>
  new AppError(
    "invalid_request",
    `Row ${position + 1} has more than a mebibyte. Change the query to return less.`,
  );

const rowTooLong = () =>
  new AppError("invalid_request", "One row is longer than an answer may be. Name the columns that you need.");
