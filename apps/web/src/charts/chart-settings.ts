import type { ValueFormat } from "../results/value-formats.ts";

export const chartTypes = ["line", "bar", "area", "scatter", "pie", "number", "table"] as const;
export type ChartType = (typeof chartTypes)[number];

export interface SeriesSettings {
  column: string;
  /** The name in the legend; null: the column's. */
  label: string | null;
  /** Null: the next colour of the palette. */
  color: string | null;
}

/** The settings of the chart builder. `jsxConfig` can express more. */
export interface ChartSettings {
  type: ChartType;
  /** The column along the category axis, or of a pie's names. */
  category: string | null;
  series: SeriesSettings[];
  /** The column with one series for each of its values; only with one value column. Null: not split. */
  splitBy: string | null;
  stacking: "none" | "stacked" | "percent";
  /** Horizontal bars. */
  horizontal: boolean;
  smooth: boolean;
  dots: boolean;
  grid: boolean;
  legend: boolean;
  categoryFormat: ValueFormat;
  valueFormat: ValueFormat;
  categoryLabel: string | null;
  valueLabel: string | null;
  /** Null: chosen by the values. */
  minimum: number | null;
  maximum: number | null;
  /** A pie's values, written beside its slices. */
  labels: boolean;
  /** Of a single number; null: as many as it has. */
  decimals: number | null;
  /** The column that a single number is compared with. */
  compareTo: string | null;
}

export const plainSettings: ChartSettings = {
  type: "line",
  category: null,
  series: [],
  splitBy: null,
  stacking: "none",
  horizontal: false,
  smooth: false,
  dots: false,
  grid: true,
  legend: true,
  categoryFormat: "auto",
  valueFormat: "auto",
  categoryLabel: null,
  valueLabel: null,
  minimum: null,
  maximum: null,
  labels: false,
  decimals: null,
  compareTo: null,
};

const axes = [
  "grid",
  "legend",
  "categoryFormat",
  "valueFormat",
  "categoryLabel",
  "valueLabel",
  "minimum",
  "maximum",
] as const;

/** Which settings mean something for a type; the others are not stored and read back as the plain ones. */
export const settingsOf: Record<ChartType, readonly (keyof ChartSettings)[]> = {
  line: ["category", "series", "splitBy", "smooth", "dots", ...axes],
  bar: ["category", "series", "splitBy", "stacking", "horizontal", ...axes],
  area: ["category", "series", "splitBy", "stacking", "smooth", ...axes],
  scatter: ["category", "series", "splitBy", ...axes],
  pie: ["category", "series", "legend", "labels", "valueFormat"],
  number: ["series", "valueFormat", "decimals", "compareTo"],
  table: [],
};
