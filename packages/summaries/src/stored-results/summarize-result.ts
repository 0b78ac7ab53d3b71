import type { Field } from "@querybell/domain";
import type { JsonValue } from "@querybell/domain/results";
import { cutText } from "@querybell/domain/text";
import { isNumeric, valueKey } from "../checked-summaries/select-rows.ts";
import { toDecimalText } from "../digest/decimals.ts";
import { columnFigures } from "../digest/numeric-column.ts";
import { type ColumnSummary, type ResultSummary, summaryLimits } from "./operations.ts";
import type { ResultTable } from "./result-table.ts";

const { columns: maxColumns, textCharacters: maxText } = summaryLimits;
/** Longer numbers are unreadable. */
const maxDigits = 400;

/** Counts, sums and extremes of each column, exact, of all rows. */
export const summarizeResult = (table: ResultTable): ResultSummary => ({
  rowCount: table.rows.length,
  columnCount: table.fields.length,
  columns: table.fields.slice(0, maxColumns).map((field, column) => summarizeColumn(table, field, column)),
});

function summarizeColumn(table: ResultTable, field: Field, column: number): ColumnSummary {
  const given = table.rows.map((row) => row[column] ?? null).filter((cell) => cell !== null);
  const figures = isNumeric(field.type) ? numberFigures(table, column) : extremes(given, field);
  return {
    ...figures,
    isCut: figures.isCut || isLong(field.name),
    name: shorten(field.name),
    type: field.type,
    nulls: table.rows.length - given.length,
    distinct: new Set(given.map((cell) => valueKey(cell, field))).size,
  };
}

type Figures = Pick<ColumnSummary, "minimum" | "maximum" | "sum" | "notFinite" | "isCut">;

const noFigures: Figures = { minimum: null, maximum: null, sum: null, notFinite: 0, isCut: false };

/** None if a cell is NaN or infinite, or if there are no cells. */
function numberFigures(table: ResultTable, column: number): Figures {
  const { notFinite, total, highest, lowest } = columnFigures(table, column);
  if (notFinite > 0 || !highest || !lowest) return { ...noFigures, notFinite };
  const [minimum, maximum, sum] = [lowest.value, highest.value, total].map(toDecimalText);
  const figures = { minimum: minimum ?? null, maximum: maximum ?? null, sum: sum ?? null };
  const isUnreadable = Object.values(figures).some((text) => (text?.length ?? 0) > maxDigits);
  return isUnreadable ? noFigures : { ...noFigures, ...figures };
}

/** The forms of values whose order is the order of their texts. */
const ordered: Partial<Record<Field["type"], RegExp>> = {
  string: /^/,
  date: /^\d{4}-/,
  timestamp: /^\d{4}-/,
  time: /^[\d:.]+$/,
};

function extremes(cells: JsonValue[], { type }: Field): Figures {
  const form = ordered[type];
  const [first] = cells;
  if (!form || typeof first !== "string") return noFigures;
  let [minimum, maximum] = [first, first];
  for (const cell of cells) {
    if (typeof cell !== "string" || !form.test(cell)) return noFigures;
    if (sortKey(cell, type) < sortKey(minimum, type)) minimum = cell;
    if (sortKey(cell, type) > sortKey(maximum, type)) maximum = cell;
  }
  const isCut = isLong(minimum) || isLong(maximum);
  return { ...noFigures, minimum: shorten(minimum), maximum: shorten(maximum), isCut };
}

/** 10:00:00Z is before 10:00:00.5Z, and its text is not. */
const sortKey = (text: string, type: Field["type"]): string =>
  type === "timestamp" && text.endsWith("Z") ? text.slice(0, -1) : text;

const isLong = (text: string): boolean => text.length > maxText;

const shorten = (text: string): string => (isLong(text) ? `${cutText(text, maxText)}…` : text);
