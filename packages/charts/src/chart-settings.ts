import type { SortOrder } from "./arrange.ts";
import type { ValueFormat } from "./formats.ts";

export const chartTypes = ["line", "bar", "area", "scatter", "pie", "number", "table"] as const;
export type ChartType = (typeof chartTypes)[number];

/** The marks that can be combined in one chart. */
export const markTypes = ["line", "bar", "area"] as const;
export type MarkType = (typeof markTypes)[number];

export interface SeriesSettings {
  column: string;
  /** The name in the legend; null: the column's. */
  label: string | null;
  /** Null: the next colour of the palette. */
  color: string | null;
  /** Null: that of the chart's type. */
  mark: MarkType | null;
  /** Which value axis it has. */
  axis: "left" | "right";
}

/** The settings of the chart builder. `jsxConfig` can express more. */
export interface ChartSettings {
  type: ChartType;
  /** The column along the category axis, or of a pie's names. */
  category: string | null;
  series: SeriesSettings[];
  /** The column with one series for each of its values; only with one value column. Null: not split. */
  splitBy: string | null;
  /** The colours of values of the split, or of a pie's names. Others have those of the palette. */
  splitColors: Record<string, string>;
  stacking: "none" | "stacked" | "percent";
  /** Horizontal bars. */
  horizontal: boolean;
  smooth: boolean;
  dots: boolean;
  grid: boolean;
  legend: boolean;
  sort: SortOrder;
  /** How many of the largest categories are shown; the others are added up. Null: the usual number. */
  top: number | null;
  /** How missing values are drawn. */
  empty: "gap" | "zero" | "connect";
  categoryFormat: ValueFormat;
  valueFormat: ValueFormat;
  categoryLabel: string | null;
  valueLabel: string | null;
  logarithmic: boolean;
  /** Null: chosen by the values. */
  minimum: number | null;
  maximum: number | null;
  /** Of the second axis, at the right. */
  rightFormat: ValueFormat;
  rightLabel: string | null;
  rightMinimum: number | null;
  rightMaximum: number | null;
  /** A line at this value. */
  goal: number | null;
  goalLabel: string | null;
  /** A line at the average of all values. */
  average: boolean;
  /** The values, written beside their marks. */
  labels: boolean;
  /** Of a single number; null: as many as it has. */
  decimals: number | null;
  /** The column that a single number is compared with. */
  compareTo: string | null;
  /** The column of time: the number is that of its latest row, compared with the row before. */
  over: string | null;
}

export const plainSettings: ChartSettings = {
  type: "line",
  category: null,
  series: [],
  splitBy: null,
  splitColors: {},
  stacking: "none",
  horizontal: false,
  smooth: false,
  dots: false,
  grid: true,
  legend: true,
  sort: "none",
  top: null,
  empty: "gap",
  categoryFormat: "auto",
  valueFormat: "auto",
  categoryLabel: null,
  valueLabel: null,
  logarithmic: false,
  minimum: null,
  maximum: null,
  rightFormat: "auto",
  rightLabel: null,
  rightMinimum: null,
  rightMaximum: null,
  goal: null,
  goalLabel: null,
  average: false,
  labels: false,
  decimals: null,
  compareTo: null,
  over: null,
};

export const plainSeries = (column: string): SeriesSettings => ({
  column,
  label: null,
  color: null,
  mark: null,
  axis: "left",
});

const axes = [
  "grid",
  "legend",
  "categoryFormat",
  "valueFormat",
  "categoryLabel",
  "valueLabel",
  "logarithmic",
  "minimum",
  "maximum",
  "goal",
  "goalLabel",
  "average",
  "labels",
] as const;

const combined = [
  "category",
  "series",
  "splitBy",
  "splitColors",
  "stacking",
  "sort",
  "top",
  "empty",
  "smooth",
  "dots",
  "rightFormat",
  "rightLabel",
  "rightMinimum",
  "rightMaximum",
  ...axes,
] as const;

/** What a scatter chart does not have in common with the others. */
export const settingsOfPoints = [
  "category",
  "series",
  "categoryFormat",
  "valueFormat",
  "categoryLabel",
  "valueLabel",
  "logarithmic",
  "minimum",
  "maximum",
  "goal",
  "goalLabel",
  "average",
  "labels",
] as const satisfies (keyof ChartSettings)[];

/** Which settings mean something for a type; the others are not stored and read back as the plain ones. */
export const settingsOf: Record<ChartType, readonly (keyof ChartSettings)[]> = {
  line: combined,
  bar: [...combined, "horizontal"],
  area: combined,
  scatter: ["category", "series", "splitBy", "splitColors", ...axes],
  pie: ["category", "series", "splitColors", "legend", "labels", "valueFormat", "sort", "top"],
  number: ["series", "valueFormat", "decimals", "compareTo", "over"],
  table: [],
};

export const isMarkType = (value: unknown): value is MarkType => markTypes.some((type) => type === value);

/** The mark of a series. */
export const markOf = ({ type }: ChartSettings, { mark }: SeriesSettings): MarkType | "scatter" =>
  mark ?? (isMarkType(type) ? type : type === "scatter" ? "scatter" : "line");

/** Whether a setting has a meaning with the other settings, and not only with the type. */
export function hasMeaning(settings: ChartSettings, setting: keyof ChartSettings): boolean {
  if (!settingsOf[settings.type].includes(setting)) return false;
  const marks = new Set(settings.series.map((one) => markOf(settings, one)));
  const hasLines = marks.has("line") || marks.has("area");
  switch (setting) {
    case "stacking":
      return marks.has("bar") || marks.has("area");
    case "smooth":
      return hasLines && !isLying(settings);
    case "empty":
      return hasLines || marks.has("bar");
    case "dots":
      return marks.has("line");
    case "splitColors":
      return settings.type === "pie" || settings.splitBy !== null;
    case "rightFormat":
    case "rightLabel":
    case "rightMinimum":
    case "rightMaximum":
      return hasRightAxis(settings);
    case "goalLabel":
      return settings.goal !== null;
    case "horizontal":
      return marks.size <= 1;
    default:
      return true;
  }
}

/** Whether its bars are horizontal. */
export const isLying = (settings: ChartSettings): boolean =>
  settings.type === "bar" &&
  settings.horizontal &&
  settings.series.every((one) => markOf(settings, one) === "bar");

/** Whether it has a second axis. */
export const hasRightAxis = (settings: ChartSettings): boolean =>
  isMarkType(settings.type) &&
  !isLying(settings) &&
  settings.splitBy === null &&
  settings.series.some(({ axis }) => axis === "right");
