import type { Field } from "@querybell/domain";
import { type ChartRows, columnOf, maxChartRows, numericColumns } from "./chart-data.ts";
import { type ChartSettings, type ChartType, plainSettings } from "./chart-settings.ts";
import { identity } from "./split-values.ts";

const maxSeries = 5;

/**
 * Suggests a chart for a result: lines over time, bars by category, or a single number. A result with several rows for
 * a category is split by its names, or is a table if it has none: a line would go back and forth.
 */
export function suggestSettings({ fields, rows, rowCount }: ChartRows): ChartSettings {
  const first = { fields, rows: rows.slice(0, maxChartRows) };
  const numeric = numericColumns(fields);
  const table = { ...plainSettings, type: "table" as const };
  if (numeric.length === 0) return table;
  if (rowCount === 1 && fields.length === 1) return defaultSettings("number", fields);
  const isOverTime = fields.some(({ type }) => type === "date" || type === "timestamp");
  if (numeric.length === fields.length && numeric.length >= 2) return defaultSettings("scatter", fields);
  const plain = defaultSettings(isOverTime ? "line" : "bar", fields);
  const { category, series } = plain;
  if (category === null || !hasRepeats(first, [category])) return plain;
  const names = fields.filter(
    ({ name, type }) => (type === "string" || type === "boolean") && name !== category,
  );
  const [splitBy] = names.map(({ name }) => name);
  const canSplit =
    splitBy !== undefined && names.length === 1 && series.length === 1 && hasRepeats(first, [splitBy]);
  return canSplit && !hasRepeats(first, [category, splitBy]) ? withSplit(plain, splitBy) : table;
}

/** Splits a chart with one series by a column. Bars and areas are stacked, so that their total can be read. */
export function withSplit(settings: ChartSettings, splitBy: string): ChartSettings {
  const isStackable = settings.type === "bar" || settings.type === "area";
  return {
    ...settings,
    splitBy,
    series: settings.series.map(({ column }) => ({ column, label: null, color: null })),
    stacking: isStackable && settings.stacking === "none" ? "stacked" : settings.stacking,
    legend: true,
  };
}

/** Whether two rows have the same values in some columns. */
function hasRepeats(first: Pick<ChartRows, "fields" | "rows">, columns: readonly string[]): boolean {
  const values = columns.map((column) => columnOf(first, column) ?? []);
  const found = new Set(first.rows.map((_, row) => JSON.stringify(values.map((one) => identity(one[row])))));
  return found.size < first.rows.length;
}

/** Settings of a type with columns that fit it. */
export function defaultSettings(type: ChartType, fields: readonly Field[]): ChartSettings {
  const numeric = numericColumns(fields);
  const time = fields.find((field) => field.type === "date" || field.type === "timestamp");
  const named = fields.find(({ name }) => !numeric.includes(name));
  const category = type === "scatter" ? numeric[0] : (time ?? named ?? fields[0])?.name;
  const values = numeric.filter((name) => name !== category);
  const count = type === "pie" || type === "number" ? 1 : maxSeries;
  const chosen = values.length > 0 ? values : numeric;
  return {
    ...plainSettings,
    type,
    category: type === "number" || type === "table" ? null : (category ?? null),
    series:
      type === "table" ? [] : chosen.slice(0, count).map((column) => ({ column, label: null, color: null })),
    legend: type === "pie" || chosen.slice(0, count).length > 1,
  };
}

/** Suggests a title from a chart's columns: "Revenue by month and team". Undefined for a table. */
export function suggestTitle({ type, series, category, splitBy }: ChartSettings): string | undefined {
  const [first, second, third] = series.map(({ column, label }) => toWords(label ?? column));
  if (type === "table" || first === undefined || first === "") return undefined;
  const values = second === undefined || third !== undefined ? first : `${first} and ${second}`;
  const by = [category, splitBy].filter((column) => column !== null).map(toWords);
  const title = by.length === 0 ? values : `${values} by ${by.join(" and ")}`;
  return title.charAt(0).toUpperCase() + title.slice(1);
}

const toWords = (column: string): string => column.replaceAll("_", " ").trim();
