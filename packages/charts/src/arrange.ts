import type { ChartElement } from "@querybell/domain/jsx-config";
import { type ChartRow, exactValue, isNamedAsShare } from "./chart-data.ts";
import { countOf } from "./counts.ts";

/** How the categories of a chart are ordered. */
export const sortOrders = ["none", "descending", "ascending", "name"] as const;
export type SortOrder = (typeof sortOrders)[number];

const isSortOrder = (value: unknown): value is SortOrder => sortOrders.some((order) => order === value);

// No column has this in its name: a NUL is not allowed in SQL.
const restKey = "\0rest";

/** Whether a row adds up what is not among the largest. */
export const isRest = (row: ChartRow): boolean => row[restKey] !== undefined;

/** The category of a row as a text, as the result has it. Undefined without one, and for several that are added up. */
export function categoryOf(
  row: ChartRow | undefined,
  fields: Parameters<typeof exactValue>[1],
  column: string | undefined,
): string | undefined {
  if (!row || column === undefined || isRest(row)) return undefined;
  const value = exactValue(row, fields, column) ?? row[column];
  if (typeof value === "string" || typeof value === "boolean") return String(value);
  // A larger one may have been rounded.
  return typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? String(value) : undefined;
}

/** How many categories a row stands for. */
export const categoriesIn = (row: ChartRow): number => Number(row[restKey] ?? 1);

/** The slices of a pie that can be told apart. */
const maxSlices = 8;

interface Arrangement {
  sort: SortOrder;
  /** How many of the largest categories are shown; the others are added up. Infinity: all. */
  top: number;
}

function arrangementOf({ name, props, children }: ChartElement): Arrangement {
  const isPie = name === "PieChart";
  const hasOrder = children.some((mark) =>
    mark.children.some((cell) => cell.name === "Cell" && cell.props.name === undefined),
  );
  const top =
    typeof props.top === "number" && props.top >= 0
      ? Math.floor(props.top)
      : isPie && !hasOrder
        ? maxSlices
        : 0;
  const sort = isSortOrder(props.sort) ? props.sort : isPie && !hasOrder ? "descending" : "none";
  return { sort, top: top === 0 ? Number.POSITIVE_INFINITY : top };
}

/** Whether a chart needs all of its rows before the first can be drawn. */
export function isArranged(root: ChartElement): boolean {
  const { sort, top } = arrangementOf(root);
  return sort !== "none" || top !== Number.POSITIVE_INFINITY;
}

/** Sorts the categories, and adds those up that are not among the largest. */
export function arrange(root: ChartElement, data: ChartRow[], category: string | undefined): ChartRow[] {
  const { sort, top } = arrangementOf(root);
  if (!isArranged(root)) return data;
  const keys = valueKeys(root);
  const size = (row: ChartRow) => keys.reduce((sum, key) => sum + numberAt(row, key), 0);
  const descending = (a: ChartRow, b: ChartRow) => size(b) - size(a);
  const hasRest = data.length > top + 1;
  const largest = hasRest
    ? new Set(data.toSorted((a, b) => Math.abs(size(b)) - Math.abs(size(a))).slice(0, top))
    : undefined;
  const kept = largest ? data.filter((row) => largest.has(row)) : data;
  const sorted = sort === "none" ? kept : kept.toSorted(orders(category, descending)[sort]);
  return largest
    ? [
        ...sorted,
        restOf(
          data.filter((row) => !largest.has(row)),
          summable(root),
          category,
        ),
      ]
    : sorted;
}

type Compare = (a: ChartRow, b: ChartRow) => number;

const orders = (
  category: string | undefined,
  descending: Compare,
): Record<Exclude<SortOrder, "none">, Compare> => ({
  descending,
  ascending: (a, b) => descending(b, a),
  name: (a, b) => names.compare(String(a[category ?? ""] ?? ""), String(b[category ?? ""] ?? "")),
});

const names = new Intl.Collator(undefined, { numeric: true });

const restOf = (
  rows: readonly ChartRow[],
  keys: readonly string[],
  category: string | undefined,
): ChartRow => ({
  ...(category !== undefined && { [category]: countOf(rows.length, "other") }),
  ...Object.fromEntries(
    keys.map((key) => [key, roundSum(rows.reduce((sum, row) => sum + numberAt(row, key), 0))]),
  ),
  [restKey]: rows.length,
});

/** Without the last wrong digits of binary fractions. */
const roundSum = (sum: number): number => Number(sum.toPrecision(15));

const numberAt = (row: ChartRow, key: string): number => {
  const value = row[key];
  return typeof value === "number" ? value : 0;
};

const valueMarks = (root: ChartElement): ChartElement[] =>
  root.children.filter(
    ({ name, props: { dataKey, hide } }) =>
      ["Line", "Bar", "Area", "Pie"].includes(name) && typeof dataKey === "string" && hide !== true,
  );

const valueKeys = (root: ChartElement): string[] =>
  valueMarks(root).map(({ props: { dataKey } }) => String(dataKey));

/** The columns with a sum: the rate of several categories is not the sum of their rates. */
const summable = (root: ChartElement): string[] =>
  valueMarks(root)
    .filter(({ props: { dataKey, yAxisId = 0 } }) => {
      const axis = root.children.find(
        ({ name, props }) => name === "YAxis" && String(props.yAxisId ?? 0) === String(yAxisId),
      );
      const isPercent = axis?.props.format === "percent" || axis?.props.format === "percentValue";
      return !isPercent && !isNamedAsShare(String(dataKey));
    })
    .map(({ props: { dataKey } }) => String(dataKey));
