import { isNumeric } from "@querybell/charts/chart-data";
import { createFormats } from "@querybell/charts/formats";
import { type ColumnSettings, columnsOf, pivot, readTable } from "@querybell/charts/tables";
import { AppError, cutText, type Field, type Visualization } from "@querybell/domain";
import { parseJsxConfig } from "@querybell/domain/jsx-config";
import type { PublishedTile } from "@querybell/public-pages";

interface TableInput {
  fields: readonly Field[];
  rows: readonly (readonly unknown[])[];
  /** Of the whole result. */
  rowCount: number;
}

type PublishedTable = Pick<Extract<PublishedTile, { kind: "table" }>, "columns" | "rows" | "notes">;

const maxColumns = 50;
const maxCellCharacters = 300;
const maxRows = 500;
/** A pivot table is computed from all rows, or not at all. */
const maxPivotRows = 10_000;

const formats = createFormats({ locale: "en", timeZone: "UTC" });

/** How many of the first rows `toTable` needs. */
export const rowsOfTable = (visualization: Visualization | null): number =>
  hasPivot(visualization) ? maxPivotRows : maxRows;

const settingsOf = (visualization: Visualization | null) =>
  readTable(visualization === null ? null : parseJsxConfig(visualization.jsxConfig));

function hasPivot(visualization: Visualization | null): boolean {
  return settingsOf(visualization).pivot !== null;
}

/**
 * The rows as a page shows them: only the columns that the table shows, since anybody can read the rest of a page, too.
 * Throws `AppError` if its settings cannot be read or it is too large. `maxCells` is what is left for this page.
 */
export function toTable(
  input: TableInput,
  { visualization, maxCells }: { visualization: Visualization | null; maxCells: number },
): PublishedTable {
  const settings = settingsOf(visualization);
  if (settings.pivot && input.rowCount > input.rows.length) {
    throw new AppError("payload_too_large", "This table is too large to be published.");
  }
  const { fields, rows, rowCount, notes } = settings.pivot
    ? pivot(input, settings.pivot)
    : { ...input, notes: [] };
  const names = fields.map(({ name }) => name);
  const visible = columnsOf(settings, names).filter(({ isHidden }) => !isHidden);
  const columns = visible.slice(0, maxColumns).map((column) => {
    const index = names.indexOf(column.column);
    const field = fields[index];
    return { column, index, isNumber: field !== undefined && isNumeric(field.type) };
  });
  const fit = Math.min(maxRows, Math.floor(maxCells / Math.max(1, columns.length)));
  const shown = rows.slice(0, fit);
  return {
    columns: columns.map(({ column, isNumber }) => ({ title: column.title ?? column.column, isNumber })),
    rows: shown.map((row) =>
      columns.map(({ column, index, isNumber }) => toText(row[index], column, isNumber)),
    ),
    notes: [
      ...notes,
      ...(shown.length < rowCount ? [`The first ${count(shown.length)} of ${count(rowCount)} rows.`] : []),
      ...(columns.length < visible.length
        ? [`The first ${columns.length} of ${count(visible.length)} columns.`]
        : []),
    ],
  };
}

const count = (value: number): string => formats.value(value, "number");

function toText(value: unknown, { format, decimals }: ColumnSettings, isNumber: boolean): string {
  const text =
    decimals !== null && isNumber
      ? formats.decimals(value, format, decimals)
      : isNumber && format === "auto"
        ? formats.exact(value, "number")
        : formats.value(value, format);
  return text.length > maxCellCharacters ? `${cutText(text, maxCellCharacters)}…` : text;
}
