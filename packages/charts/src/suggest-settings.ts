import type { Field } from "@querybell/domain";
import { type ChartRows, columnOf, isNamedAsShare, numericColumns } from "./chart-data.ts";
import {
  type ChartSettings,
  type ChartType,
  hasMeaning,
  isMarkType,
  plainSeries,
  plainSettings,
  type SeriesSettings,
  settingsOf,
  settingsOfPoints,
} from "./chart-settings.ts";
import { autoText, type ValueFormat } from "./formats.ts";
import { identity } from "./split-values.ts";
import { textWidth } from "./text-width.ts";

const maxSeries = 5;
/** Enough to see what a result is like. */
const maxSampleRows = 2000;

/**
 * Suggests a chart for a result: lines over time, bars by category, or a single number. A result with several rows for
 * a category is split by its names, or is a table if it has none: a line would go back and forth.
 */
export function suggestSettings({ fields, rows, rowCount }: ChartRows): ChartSettings {
  const first = { fields, rows: rows.slice(0, maxSampleRows), rowCount };
  const numeric = numericColumns(fields);
  const table = { ...plainSettings, type: "table" as const };
  if (numeric.length === 0) return table;
  if (rowCount === 1 && numeric.length === 1) return defaultSettings("number", first);
  const isOverTime = fields.some(isTime);
  if (numeric.length === fields.length && numeric.length >= 2) return defaultSettings("scatter", first);
  const plain = defaultSettings(isOverTime ? "line" : "bar", first);
  const { category } = plain;
  if (category === null || !hasRepeats(first, [category])) return plain;
  const splitBy = findSplit(first, category);
  return splitBy === undefined
    ? table
    : withSplit({ ...plain, series: plain.series.slice(0, 1), horizontal: false }, splitBy);
}

const isTime = ({ type }: Field): boolean => type === "date" || type === "timestamp";

/** The column of names that tells the rows of each category apart. */
function findSplit(first: Pick<ChartRows, "fields" | "rows">, category: string): string | undefined {
  const names = first.fields.filter(
    ({ name, type }) => (type === "string" || type === "boolean") && name !== category,
  );
  return names
    .map(({ name }) => name)
    .find((name) => hasRepeats(first, [name]) && !hasRepeats(first, [category, name]));
}

/** Splits a chart with one series by a column. Bars and areas are stacked, so that their total can be read. */
export function withSplit(settings: ChartSettings, splitBy: string): ChartSettings {
  const isStackable = settings.type === "bar" || settings.type === "area";
  return {
    ...settings,
    splitBy,
    series: settings.series.map(({ column }) => plainSeries(column)),
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

type Sample = Pick<ChartRows, "fields"> & Partial<Pick<ChartRows, "rows">>;

/** Settings of a type with columns that fit it. */
export function defaultSettings(type: ChartType, { fields, rows = [] }: Sample): ChartSettings {
  const numeric = numericColumns(fields);
  const time = fields.find(isTime);
  const named = fields.find(({ name }) => !numeric.includes(name));
  const category = type === "scatter" ? numeric[0] : (time ?? named ?? fields[0])?.name;
  const values = numeric.filter((name) => name !== category);
  const count = type === "pie" || type === "number" ? 1 : maxSeries;
  const chosen = (values.length > 0 ? values : numeric).slice(0, count);
  const settings: ChartSettings = {
    ...plainSettings,
    type,
    category: type === "number" || type === "table" ? null : (category ?? null),
    series: type === "table" ? [] : chosen.map(plainSeries),
    legend: type === "pie" || chosen.length > 1,
    valueFormat: type === "table" || type === "scatter" ? "auto" : suggestFormat(chosen, { fields, rows }),
    over: type === "number" && time && rows.length > 1 ? time.name : null,
  };
  return type === "bar" ? { ...settings, horizontal: hasLongNames(settings, { fields, rows }) } : settings;
}

/** Names that would not fit under bars. */
function hasLongNames({ category }: Pick<ChartSettings, "category">, { fields, rows = [] }: Sample): boolean {
  const field = fields.find(({ name }) => name === category);
  if (field?.type !== "string" || rows.length > 40) return false;
  const names = columnOf({ fields, rows }, field.name) ?? [];
  if (names.every((name) => /^\d{4}-\d{2}/.test(String(name)))) return false;
  const widest = Math.max(0, ...names.map((name) => textWidth(autoText(name), 12)));
  // About the width of a band in a chart of usual width.
  return widest > 60 && widest + 10 > 800 / Math.max(1, names.length);
}

/** A currency or a share that the names of all columns tell. */
function suggestFormat(columns: readonly string[], { fields, rows = [] }: Sample): ValueFormat {
  const found = new Set(columns.map((column) => formatOfName(column, { fields, rows })));
  const [only] = found;
  return found.size === 1 && only ? only : "auto";
}

function formatOfName(column: string, { fields, rows = [] }: Sample): ValueFormat {
  const words = column.toLowerCase().split(/[^a-z0-9%]+/);
  const currency = (["usd", "eur", "gbp", "chf", "jpy"] as const).find((code) => words.includes(code));
  if (currency) return currency;
  if (!isNamedAsShare(column)) return "auto";
  const values = (columnOf({ fields, rows }, column) ?? []).filter((value) => typeof value === "number");
  if (values.length === 0) return "auto";
  return values.every((value) => Math.abs(value) <= 1)
    ? "percent"
    : values.every((value) => Math.abs(value) <= 100)
      ? "percentValue"
      : "auto";
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

type SettingsOfPoints = Pick<ChartSettings, (typeof settingsOfPoints)[number]>;

/** The settings of all types that somebody has tried, also those without a meaning for the present type. */
export interface RememberedSettings {
  settings: ChartSettings;
  /** A scatter chart has numbers along both axes, so it has columns, titles, formats and ranges of its own. */
  points: SettingsOfPoints | undefined;
  /** The names of a pie, which may be those of a split. */
  pieCategory: string | null | undefined;
  /** The marks of the series, by column, for each type that can combine them. */
  marks: Partial<Record<ChartType, ReadonlyMap<string, SeriesSettings["mark"]>>>;
  /** The types for which the first guesses were made. */
  seen: readonly ChartType[];
}

export const remember = (settings: ChartSettings): RememberedSettings =>
  addToMemory(
    { settings: { ...settings }, points: undefined, pieCategory: undefined, marks: {}, seen: [] },
    settings,
  );

const pick = <Key extends keyof ChartSettings>(settings: ChartSettings, keys: readonly Key[]) =>
  Object.fromEntries(keys.map((key) => [key, settings[key]])) as Pick<ChartSettings, Key>;

/** Adds what was changed since. A setting without a meaning for the present chart stays as it was. */
export function addToMemory(memory: RememberedSettings, current: ChartSettings): RememberedSettings {
  const { type } = current;
  const seen = memory.seen.includes(type) ? memory.seen : [...memory.seen, type];
  const own: readonly (keyof ChartSettings)[] =
    type === "scatter" ? settingsOfPoints : ["series", "category"];
  const known = settingsOf[type].filter((key) => !own.includes(key) && hasMeaning(current, key));
  const settings: ChartSettings = { ...memory.settings, ...pick(current, known), type };
  if (type === "scatter") return { ...memory, settings, points: pick(current, settingsOfPoints), seen };
  if (isMarkType(type)) {
    const marks = {
      ...memory.marks,
      [type]: new Map(current.series.map(({ column, mark }) => [column, mark])),
    };
    const { series, category } = current;
    return { ...memory, settings: { ...settings, series, category }, marks, seen };
  }
  return {
    ...memory,
    settings: { ...settings, series: withFirst(settings.series, current.series[0]) },
    ...(type === "pie" && { pieCategory: current.category }),
    seen,
  };
}

/** A pie and a number show the first column only: the others stay. */
function withFirst(series: ChartSettings["series"], first: ChartSettings["series"][number] | undefined) {
  const [before, ...others] = series;
  if (!first || first.column === before?.column) return series;
  return [first, ...others.filter(({ column }) => column !== first.column)];
}

/** Changes the type: settings stay wherever they make sense, and come back with the type that has them. */
export function changeType(memory: RememberedSettings, type: ChartType, sample: Sample): ChartSettings {
  const fresh = defaultSettings(type, sample);
  if (type === "table") return fresh;
  const { settings, seen } = memory;
  if (type === "scatter") return { ...settings, ...(memory.points ?? pick(fresh, settingsOfPoints)), type };
  const isNew = !seen.includes(type);
  const hasColumns = settings.series.length > 0;
  const { category, series } = hasColumns
    ? { category: settings.category ?? fresh.category, series: seriesFor(memory, type) }
    : fresh;
  const changed: ChartSettings = { ...settings, category, series, type };
  if (type === "pie") {
    const names = memory.pieCategory ?? settings.splitBy ?? category;
    return { ...changed, category: names, ...(isNew && { legend: true }) };
  }
  return {
    ...changed,
    ...(!hasColumns && { legend: fresh.legend, valueFormat: fresh.valueFormat }),
    ...(isNew &&
      type === "bar" &&
      settings.splitBy === null && { horizontal: hasLongNames(changed, sample) }),
    ...(isNew && type === "number" && settings.over === null && { over: fresh.over }),
    ...(isNew &&
      (type === "bar" || type === "area") &&
      settings.splitBy !== null &&
      settings.stacking === "none" && { stacking: "stacked" }),
  };
}

/** The series, with the marks that they had in a chart of this type. */
function seriesFor({ settings: { series }, marks }: RememberedSettings, type: ChartType): SeriesSettings[] {
  if (!isMarkType(type)) return series.slice(0, 1);
  const known = marks[type];
  return known ? series.map((one) => ({ ...one, mark: known.get(one.column) ?? null })) : series;
}
