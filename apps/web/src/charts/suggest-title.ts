import type { ChartSettings } from "./chart-settings.ts";

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
