import type { Field } from "@querybell/domain";
import { isNumeric } from "../results/cell-text.ts";

/** One row for the chart: a value for each column's name. */
export type ChartRow = Readonly<Record<string, unknown>>;

/** The rows of a result, as many as can be drawn at once. */
export interface ChartRows {
  fields: readonly Field[];
  rows: readonly (readonly unknown[])[];
  rowCount: number;
}

/** The maximum. An SVG with more points is slow, and they overlap. */
export const maxChartRows = 2000;

/** A split chart adds up many rows to few points, so it is drawn from many more. */
export const maxSplitRows = 50_000;

/**
 * How many of the first rows a chart is drawn from. Read without the parser, which is loaded with the charts.
 * If only a text contains `splitBy`, more rows are read than are drawn, which does no harm.
 */
export const rowsToRead = ({ jsxConfig }: { jsxConfig: string }): number =>
  /\bsplitBy\b/.test(jsxConfig) ? maxSplitRows : maxChartRows;

/** Converts exact numbers, which are strings, to numbers. Of two columns with one name, the first is used. */
export function toChartData({ fields, rows }: Pick<ChartRows, "fields" | "rows">): ChartRow[] {
  const columns = fields.map((field, index) => ({ ...field, index }));
  const first = columns.filter(
    ({ name, index }) => fields.findIndex((field) => field.name === name) === index,
  );
  return rows.map((row) =>
    Object.fromEntries(
      first.map(({ name, type, index }) => [name, isNumeric(type) ? toNumber(row[index]) : row[index]]),
    ),
  );
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
