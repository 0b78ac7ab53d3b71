import { AppError, cutText, type Field, type Visualization } from "@querybell/domain";
import { parseJsxConfig } from "@querybell/domain/jsx-config";
import { isNumeric } from "./chart-data.ts";
import { createFormats, type Formats, type Reader } from "./formats.ts";
import { type ColumnSettings, columnsOf, type PivotTable, pivot, readTable } from "./tables.ts";

interface TableInput {
  fields: readonly Field[];
  rows: readonly (readonly unknown[])[];
  /** Of the whole result. */
  rowCount: number;
}

/** A table as texts. */
interface PlainRows {
  columns: {
    title: string;
    isNumber: boolean;
    /** In pixels, where somebody has chosen one. */
    width: number | null;
  }[];
  rows: string[][];
  /** Of the whole table. */
  rowCount: number;
  columnCount: number;
  /** What the reader should know about it, besides what is left out. */
  notes: string[];
}

interface Fitting {
  visualization: Visualization | null;
  /** What is left for this table. */
  maxCells: number;
  reader?: Reader;
}

/** Of a page for everybody. */
const plainReader: Reader = { locale: "en", timeZone: "UTC" };

const maxColumns = 50;
const maxCellCharacters = 300;
/** The most rows that are shown. */
export const maxTableRows = 500;
/** A pivot table is computed from all rows, or not at all. */
const maxPivotRows = 10_000;

/** How many of the first rows `toPlainRows` needs. */
export const rowsOfTable = (visualization: Visualization | null): number =>
  hasPivot(visualization) ? maxPivotRows : maxTableRows;

const settingsOf = (visualization: Visualization | null) =>
  readTable(visualization === null ? null : parseJsxConfig(visualization.jsxConfig));

function hasPivot(visualization: Visualization | null): boolean {
  return settingsOf(visualization).pivot !== null;
}

/**
 * The rows as a published page and a picture show them: only the columns that the table shows, since anybody can read the
 * rest of a page, too. Throws `AppError` if its settings cannot be read or it is too large.
 */
export function toPlainRows(
  input: TableInput,
  { visualization, maxCells, reader = plainReader }: Fitting,
): PlainRows {
  const formats = createFormats(reader);
  const settings = settingsOf(visualization);
  if (settings.pivot && input.rowCount > input.rows.length) {
    throw new AppError("payload_too_large", "This table is too large to be shown here.");
  }
  const { fields, rows, rowCount, notes }: PivotTable = settings.pivot
    ? pivot(input, settings.pivot, formats)
    : { ...input, notes: [] };
  const names = fields.map(({ name }) => name);
  const visible = columnsOf(settings, names).filter(({ isHidden }) => !isHidden);
  const columns = visible.slice(0, maxColumns).map((column) => {
    const index = names.indexOf(column.column);
    const field = fields[index];
    const title = column.title ?? field?.heading ?? column.column;
    return { column, index, title, isNumber: field !== undefined && isNumeric(field.type) };
  });
  const fit = Math.min(maxTableRows, Math.floor(maxCells / Math.max(1, columns.length)));
  const shown = rows.slice(0, fit);
  return {
    columns: columns.map(({ column: { width }, title, isNumber }) => ({ title, isNumber, width })),
    rows: shown.map((row) =>
      columns.map(({ column, index, isNumber }) => toText(formats, row[index], { column, isNumber })),
    ),
    rowCount,
    columnCount: visible.length,
    notes,
  };
}

/** What a table leaves out, in sentences. */
export function whatIsLeftOut(
  { columns, rows, rowCount, columnCount }: PlainRows,
  reader: Reader = plainReader,
): string[] {
  const formats = createFormats(reader);
  const count = (value: number): string => formats.value(value, "number");
  return [
    ...(rows.length < rowCount ? [`The first ${count(rows.length)} of ${count(rowCount)} rows.`] : []),
    ...(columns.length < columnCount
      ? [`The first ${columns.length} of ${count(columnCount)} columns.`]
      : []),
  ];
}

function toText(
  formats: Formats,
  value: unknown,
  { column: { format, decimals }, isNumber }: { column: ColumnSettings; isNumber: boolean },
): string {
  const text =
    decimals !== null && isNumber
      ? formats.decimals(value, format, decimals)
      : isNumber && format === "auto"
        ? formats.exact(value, "number")
        : formats.value(value, format);
  return text.length > maxCellCharacters ? `${cutText(text, maxCellCharacters)}…` : text;
}
