import type { ChartElement } from "@querybell/domain/jsx-config";
import { addUp } from "./add-up.ts";
import { arrange, isArranged } from "./arrange.ts";
import { type ChartRow, type ChartRows, columnOf, maxChartRows, toChartData } from "./chart-data.ts";
import { formatCount } from "./counts.ts";
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
const maxPoints = 40_000;
const maxBars = 4000;

/**
 * Replaces each mark with `splitBy` by one mark for each value of that column, and the rows by one row for each
 * category. Marks without `splitBy` have the values of a category's first row. Charts without `splitBy` keep their rows.
 */
export function splitMarks(root: ChartElement, result: ChartRows): DrawnChart {
  const { rows, notes: addedNotes } = addUp(root, result);
  const wanted = root.children.flatMap((mark) =>
    typeof mark.props.splitBy === "string" ? [{ mark, column: mark.props.splitBy }] : [],
  );
  const missing = wanted.filter(({ column }) => !rows.fields.some(({ name }) => name === column));
  const notes = [
    ...addedNotes,
    ...missing.map(({ column }) => `The result has no column “${column}” to split by.`),
  ];
  if (missing.length < wanted.length) return regroup(root, rows, notes);
  const most = mostCategories(root.children);
  const read = isArranged(root) ? rows.rows : rows.rows.slice(0, most);
  const data = arrange(root, toChartData({ ...rows, rows: read }), categoryOf(root));
  const total = isArranged(root) ? data.length : rows.rows.length;
  if (Math.min(data.length, most) < total) notes.push(firstShown(most, total, "rows"));
  return { element: root, data: data.slice(0, most), notes };
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
  const grouped = toChartData({ fields, rows: order.map((slot) => firstRows[slot] ?? []) });
  const data = arrange(
    { ...root, children },
    grouped.map((row, index) => ({ ...row, ...valuesAt(order[index] ?? 0, added) })),
    category,
  );
  const most = isScatter ? maxChartRows : mostCategories(children);
  const total = isScatter ? all.length : data.length;
  if (Math.min(most, data.length) < total) {
    const what = category === undefined ? "rows" : `values of ${category}`;
    notes.push(firstShown(Math.min(most, data.length), total, what));
  }
  return { element: { ...root, children }, data: data.slice(0, most), notes };
}

const firstShown = (count: number, total: number, what: string): string =>
  `Shows the first ${formatCount(count)} of ${formatCount(total)} ${what}.`;

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

/**
 * Ignores the colour of the mark: all series would have the same one. A `Cell` with the name of a value gives its
 * colour.
 */
function markOf(mark: ChartElement, { key, name: value, isOthers }: SeriesOfMark): ChartElement {
  const { splitBy: _, name, stroke: __, fill: ___, ...rest } = mark.props;
  const chosen = mark.children.find((child) => child.name === "Cell" && child.props.name === value);
  const color = isOthers ? othersColor : (chosen?.props.fill ?? chosen?.props.stroke);
  const colors =
    color === undefined ? {} : mark.name === "Bar" ? { fill: color } : { fill: color, stroke: color };
  const shownName = typeof name === "string" ? `${name}: ${value}` : value;
  return {
    ...mark,
    props: { ...rest, ...colors, dataKey: key, name: shownName },
    children: mark.children.filter((child) => child.name !== "Cell"),
  };
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

/** The column along the axis of categories, or of a pie's names. */
export function categoryOf(root: ChartElement): string | undefined {
  if (root.name === "PieChart") {
    const nameKey = root.children.find(({ name }) => name === "Pie")?.props.nameKey;
    return typeof nameKey === "string" ? nameKey : undefined;
  }
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
  const hidden = `Shows the ${series.length} values of ${splitBy} with the largest sums. ${formatCount(hiddenCount)} more ${hiddenCount === 1 ? "is" : "are"} not shown.`;
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
