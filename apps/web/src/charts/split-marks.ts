import type { ChartElement } from "@querybell/domain/jsx-config";
import { formatNumber } from "../format/pluralize.ts";
import { type ChartRow, type ChartRows, columnOf, maxChartRows, toChartData } from "./chart-data.ts";
import { othersColor } from "./palette.ts";
import { identity, type SplitSeries, splitValues } from "./split-values.ts";

/** A chart without `splitBy`: each mark is one series of the data. */
interface DrawnChart {
  element: ChartElement;
  data: ChartRow[];
  /** What the reader should know about the data, in sentences. */
  notes: string[];
}

/** The most points of all series together. Each bar is an element; a line is one element for all points. */
const maxPoints = 10_000;
const maxBars = 4000;

/**
 * Replaces each mark with `splitBy` by one mark for each value of that column, and the rows by one row for each
 * category. Marks without `splitBy` have the values of a category's first row. Charts without `splitBy` keep their rows.
 */
export function splitMarks(root: ChartElement, rows: ChartRows): DrawnChart {
  const wanted = root.children.flatMap((mark) =>
    typeof mark.props.splitBy === "string" ? [{ mark, column: mark.props.splitBy }] : [],
  );
  const missing = wanted.filter(({ column }) => !rows.fields.some(({ name }) => name === column));
  const notes = missing.map(({ column }) => `The result has no column “${column}” to split by.`);
  if (missing.length < wanted.length) return regroup(root, rows, notes);
  const drawn = rows.rows.slice(0, mostCategories(root.children));
  if (drawn.length < Math.min(rows.rows.length, maxChartRows))
    notes.push(firstShown(drawn.length, rows.rowCount, "rows"));
  return { element: root, data: toChartData({ ...rows, rows: drawn }), notes };
}

function regroup(root: ChartElement, { fields, rows: all }: ChartRows, notes: string[]): DrawnChart {
  // The points of a scatter chart have no category in common.
  const isScatter = root.name === "ScatterChart";
  const rows = isScatter ? all.slice(0, maxChartRows) : all;
  const category = isScatter ? undefined : categoryOf(root);
  const { slots, firstRows, order } = groupByCategory(columnOf({ fields, rows }, category), rows);
  const added: SeriesOfMark[] = [];
  const children = root.children.flatMap((mark, position): ChartElement[] => {
    const { splitBy, dataKey, stackId } = mark.props;
    const names = typeof splitBy === "string" ? columnOf({ fields, rows }, splitBy) : undefined;
    if (!names || typeof splitBy !== "string") return [mark];
    const values = columnOf({ fields, rows }, typeof dataKey === "string" ? dataKey : undefined);
    const split = splitValues({
      names,
      values: values?.map(numberOrNull) ?? [],
      slots,
      slotCount: firstRows.length,
      hasOthers: stackId !== undefined,
    });
    notes.push(...notesOf(split, { splitBy, category }));
    const series = split.series.map((one, index) => ({
      ...one,
      key: `${splitKeyStart}${position}.${index}`,
    }));
    added.push(...series);
    return series.map((one) => markOf(mark, one));
  });
  const drawn = order.slice(0, isScatter ? maxChartRows : mostCategories(children));
  const total = isScatter ? all.length : order.length;
  if (drawn.length < total) {
    const what = category === undefined ? "rows" : `values of ${category}`;
    notes.push(firstShown(drawn.length, total, what));
  }
  const data = toChartData({ fields, rows: drawn.map((slot) => firstRows[slot] ?? []) });
  return {
    element: { ...root, children },
    data: data.map((row, index) => ({ ...row, ...valuesAt(drawn[index] ?? 0, added) })),
    notes,
  };
}

const firstShown = (count: number, total: number, what: string): string =>
  `Shows the first ${formatNumber(count)} of ${formatNumber(total)} ${what}.`;

function mostCategories(marks: readonly ChartElement[]): number {
  const series = marks.filter(({ name }) => seriesNames.has(name));
  const limit = series.some(({ name }) => name === "Bar") ? maxBars : maxPoints;
  return Math.min(maxChartRows, Math.floor(limit / Math.max(1, series.length)));
}

const seriesNames = new Set(["Line", "Bar", "Area", "Scatter"]);

interface SeriesOfMark extends SplitSeries {
  /** Where the rows of the chart have its values. */
  key: string;
}

/** Ignores the colour in the text: all series would have the same one. */
function markOf(mark: ChartElement, { key, name: value, isOthers }: SeriesOfMark): ChartElement {
  const { splitBy: _, name, stroke: __, fill: ___, ...rest } = mark.props;
  const color = mark.name === "Bar" ? { fill: othersColor } : { fill: othersColor, stroke: othersColor };
  const shownName = typeof name === "string" ? `${name}: ${value}` : value;
  return { ...mark, props: { ...rest, ...(isOthers && color), dataKey: key, name: shownName } };
}

/** The values of a category. A missing one has no key. */
const valuesAt = (slot: number, series: readonly SeriesOfMark[]): ChartRow =>
  Object.fromEntries(
    series.flatMap(({ key, values }) => (values[slot] === undefined ? [] : [[key, values[slot]]])),
  );

// No column has this in its name: a NUL is not allowed in SQL.
const splitKeyStart = "\0split ";

/** Whether a `dataKey` is that of a series of a split. */
export const isSplitKey = (dataKey: unknown): dataKey is string =>
  typeof dataKey === "string" && dataKey.startsWith(splitKeyStart);

const numberOrNull = (value: unknown): number | null => (typeof value === "number" ? value : null);

function categoryOf(root: ChartElement): string | undefined {
  const axis = root.props.layout === "vertical" ? "YAxis" : "XAxis";
  const dataKey = root.children.find(({ name }) => name === axis)?.props.dataKey;
  return typeof dataKey === "string" ? dataKey : undefined;
}

interface SplitNames {
  splitBy: string;
  category: string | undefined;
}

function notesOf(
  { series, hiddenCount, isSummed }: ReturnType<typeof splitValues>,
  { splitBy, category }: SplitNames,
): string[] {
  const hidden = `Shows the ${series.length} values of ${splitBy} with the largest sums. ${formatNumber(hiddenCount)} more ${hiddenCount === 1 ? "is" : "are"} not shown.`;
  const summed = `Rows with the same ${[category, splitBy].filter((column) => column !== undefined).join(" and ")} are added up.`;
  return [...(hiddenCount > 0 ? [hidden] : []), ...(isSummed ? [summed] : [])];
}

interface CategoryGroups {
  /** Of each row: the number of its category, by first appearance. */
  slots: number[];
  /** Of each category. */
  firstRows: (readonly unknown[])[];
  /** The categories in the order of the axis. */
  order: number[];
}

/** Groups rows by their category. Without one, each row is a separate group. */
function groupByCategory(
  categories: readonly unknown[] | undefined,
  rows: readonly (readonly unknown[])[],
): CategoryGroups {
  if (!categories) {
    const each = rows.map((_, row) => row);
    return { slots: each, firstRows: [...rows], order: each };
  }
  const found = new Map<unknown, number>();
  const values: unknown[] = [];
  const firstRows: (readonly unknown[])[] = [];
  const slots = rows.map((row, index) => {
    const key = identity(categories[index]);
    const known = found.get(key);
    if (known !== undefined) return known;
    found.set(key, values.length);
    values.push(key);
    return firstRows.push(row) - 1;
  });
  return { slots, firstRows, order: orderOf(values) };
}

/**
 * The order of first appearance, for numbers and dates if they ascend or descend. Otherwise they are sorted:
 * if the rows are ordered by name first, dates that only a later name has would come last.
 */
function orderOf(values: readonly unknown[]): number[] {
  const slots = values.map((_, slot) => slot);
  const steps = values.slice(1).map((value, index) => compare(values[index], value));
  const isInOrder = steps.every((step) => step < 0) || steps.every((step) => step > 0);
  if (isInOrder || !values.every(hasOrder)) return slots;
  return slots.toSorted((a, b) => compare(values[a], values[b]));
}

const hasOrder = (value: unknown): boolean =>
  value === null || typeof value === "number" || (typeof value === "string" && /^\d{4}-\d{2}/.test(value));

/** Missing values come last. */
function compare(a: unknown, b: unknown): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
}
