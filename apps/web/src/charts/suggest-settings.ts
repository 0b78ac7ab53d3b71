import type { Field } from "@querybell/domain";
import { numericColumns } from "./chart-data.ts";
import { type ChartSettings, type ChartType, plainSettings } from "./chart-settings.ts";

const maxSeries = 5;

/** Suggests a chart for a result: lines over time, bars by category, or a single number. */
export function suggestSettings(fields: readonly Field[], rowCount: number): ChartSettings {
  const numeric = numericColumns(fields);
  if (numeric.length === 0) return { ...plainSettings, type: "table" };
  if (rowCount === 1 && fields.length === 1) return defaultSettings("number", fields);
  const isOverTime = fields.some(({ type }) => type === "date" || type === "timestamp");
  if (numeric.length === fields.length && numeric.length >= 2) return defaultSettings("scatter", fields);
  return defaultSettings(isOverTime ? "line" : "bar", fields);
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
