import type { Field } from "@querybell/domain";

export const isNumeric = (type: Field["type"]): boolean =>
  type === "integer" || type === "number" || type === "decimal";

/** One row for the chart: a value for each column's name. */
export type ChartRow = Readonly<Record<string, unknown>>;

/** The rows of a result, as many as can be drawn at once. */
export interface ChartRows {
  fields: readonly Field[];
  rows: readonly (readonly unknown[])[];
  rowCount: number;
}

/** The maximum. More points overlap. */
export const maxChartRows = 10_000;

/** A chart that adds up many rows to few points is drawn from many more. */
export const maxSplitRows = 50_000;

/** The most values that are held for a chart. */
const maxValues = 400_000;

/**
 * How many of the first rows a chart is drawn from. Read without the parser, which is loaded with the charts.
 * If only a text contains one of these words, more rows are read than are drawn, which does no harm.
 */
export function rowsToRead({ jsxConfig }: { jsxConfig: string }): number {
  return /\b(?:splitBy|top|sort|PieChart|Number|Table)\b/.test(jsxConfig) ? maxSplitRows : maxChartRows;
}

/** How many of `wanted` rows are read of a result with this many columns. The page and the server read the same. */
export const rowsWithin = (wanted: number, columns: number): number =>
  Math.min(wanted, Math.max(maxChartRows, Math.floor(maxValues / Math.max(1, columns))));

/** Converts exact numbers, which are strings, to numbers. Of two columns with one name, the first is used. */
export function toChartData({ fields, rows }: Pick<ChartRows, "fields" | "rows">): ChartRow[] {
  const columns = fields.map((field, index) => ({ ...field, index }));
  const first = columns.filter(
    ({ name, index }) => fields.findIndex((field) => field.name === name) === index,
  );
  return rows.map((row) => {
    const converted: ChartRow = Object.fromEntries(
      first.map(({ name, type, index }) => [name, isNumeric(type) ? toNumber(row[index]) : row[index]]),
    );
    exactRows.set(converted, row);
    return converted;
  });
}

const exactRows = new WeakMap<ChartRow, readonly unknown[]>();

/** A value as the result has it, with every digit. Undefined for a row that was computed. */
export function exactValue(row: ChartRow, fields: readonly Field[], column: string): unknown {
  return exactRows.get(row)?.[fields.findIndex(({ name }) => name === column)];
}

/** The values of a column, exact numbers as numbers. Undefined if there is no such column. */
export function columnOf(
  { fields, rows }: Pick<ChartRows, "fields" | "rows">,
  column: string | undefined,
): unknown[] | undefined {
  const index = fields.findIndex(({ name }) => name === column);
  const type = fields[index]?.type;
  if (type === undefined) return undefined;
  return rows.map((row) => (isNumeric(type) ? toNumber(row[index]) : row[index]));
}

function toNumber(value: unknown): number | null {
  if (value === null || value === undefined) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/** The numeric columns among the fields, which a chart can draw. */
export const numericColumns = (fields: readonly Field[]): string[] =>
  fields.filter(({ type }) => isNumeric(type)).map(({ name }) => name);

const shareWords = new Set(["rate", "share", "ratio", "percent", "percentage", "pct", "%"]);

/** Whether the name of a column says that its values are shares, which have no sum: `return_rate`. */
export const isNamedAsShare = (column: string): boolean =>
  column
    .toLowerCase()
    .split(/[^a-z0-9%]+/)
    .some((word) => shareWords.has(word));
