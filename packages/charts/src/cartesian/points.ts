import { categoryOf } from "../arrange.ts";
import { exactValue } from "../chart-data.ts";
import type { ChartInput } from "../chart-input.ts";
import { formatProp } from "../chart-input.ts";
import { countOf, formatCount } from "../counts.ts";
import type { ValueFormat } from "../formats.ts";
import type { Scene, ScenePoint, SceneTable } from "../scene.ts";
import { axisOf, formatOf } from "./axis-of-series.ts";
import type { Layout } from "./draw-cartesian.ts";
import type { Series } from "./series.ts";
import type { PlacedAxis } from "./value-axis.ts";

const maxTableRows = 100;

/** What is shown about the rows of a chart: in tooltips, and in the table behind it. */
export function pointReader(
  input: ChartInput,
  layout: Layout,
): Pick<Scene, "pointCount" | "nearest" | "point" | "table"> {
  const isScatter = layout.series.every(({ kind }) => kind === "scatter");
  const points = isScatter ? scatterPoints(layout) : [];
  return {
    pointCount: isScatter ? points.length : layout.categoryAxis.rows.length,
    nearest: (x, y) => (isScatter ? nearestPoint(points, x, y) : nearestRow(layout, x, y)),
    point: (index) => {
      if (!isScatter) return rowPoint(input, layout, index);
      const found = points[index];
      return found && scatterPoint(input, layout, found);
    },
    table: () => tableOf(input, layout),
  };
}

function nearestRow(
  { plot, isHorizontal, categories: { positions } }: Layout,
  x: number,
  y: number,
): number | undefined {
  const at = isHorizontal ? y : x;
  const isInside = x >= plot.left - 8 && x <= plot.right + 8 && y >= plot.top - 8 && y <= plot.bottom + 8;
  if (!isInside || positions.length === 0) return undefined;
  const isRising = (positions[0] ?? 0) <= (positions.at(-1) ?? 0);
  let [low, high] = [0, positions.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((positions[middle] ?? 0) < at === isRising) low = middle + 1;
    else high = middle;
  }
  const distance = (index: number) => Math.abs((positions[index] ?? Number.POSITIVE_INFINITY) - at);
  return low > 0 && distance(low - 1) < distance(low) ? low - 1 : low;
}

/** A value with all of its digits. In a chart to 100 % percentages are shares of the total, so values are numbers. */
function exactText(input: ChartInput, layout: Layout, series: Series, row: number): string {
  const data = layout.categoryAxis.rows[row];
  const value = series.values[row];
  if (value === undefined) return "";
  const exact = data && !series.isSplit ? exactValue(data, input.fields, series.key) : undefined;
  const isExact = typeof exact === "number" || typeof exact === "string";
  const unit = typeof series.props.unit === "string" ? series.props.unit : "";
  return `${input.formats.exact(isExact ? exact : value, formatBeside(input, axisOf(layout, series)))}${unit}`;
}

function rowPoint(input: ChartInput, layout: Layout, row: number): ScenePoint | undefined {
  const { plot, isHorizontal, categories, categoryAxis } = layout;
  const along = categories.positions[row];
  if (along === undefined) return undefined;
  const shown = layout.series.filter(({ values }) => values[row] !== undefined);
  const sorted = shown.toSorted((a, b) => (b.values[row] ?? 0) - (a.values[row] ?? 0));
  const dots = shown.flatMap((series) => {
    const axis = axisOf(layout, series);
    const span = series.spans[row];
    const across = axis && span ? axis.scale(span[1]) : Number.NaN;
    if (!Number.isFinite(across) || series.kind === "bar") return [];
    return [{ ...layout.toPoint(along, across), color: series.color }];
  });
  const half = categoryAxis.kind === "band" ? Math.max(0.5, categories.step / 2) : 0.5;
  const cursor = isHorizontal
    ? { x: plot.left, y: along - half, width: plot.right - plot.left, height: 2 * half }
    : { x: along - half, y: plot.top, width: 2 * half, height: plot.bottom - plot.top };
  const highest = Math.min(plot.bottom, ...dots.map(({ y }) => y));
  return {
    title: titleOf(input, layout, row),
    category: categoryOf(categoryAxis.rows[row], input.fields, categoryAxis.column),
    rows: sorted.map((series) => ({
      name: series.name,
      color: series.color,
      text: withShare(input, shown, series, row, exactText(input, layout, series, row)),
    })),
    total: totalText(input, layout, shown, row),
    x: isHorizontal ? plot.left + (plot.right - plot.left) / 2 : along,
    y: isHorizontal ? along : Math.max(plot.top, highest === plot.bottom ? plot.top : highest),
    cursor,
    dots,
  };
}

function titleOf({ element, formats }: ChartInput, { categoryAxis }: Layout, row: number): string {
  const format = formatProp(element.children.find(({ name }) => name === "Tooltip")?.props.labelFormat);
  const { column, rows } = categoryAxis;
  if (format === undefined || column === undefined) return categoryAxis.nameAt(row);
  return formats.value(rows[row]?.[column], format);
}

function formatBeside(input: ChartInput, axis: PlacedAxis | undefined): ValueFormat {
  const format = formatOf(input, axis);
  const isPercent = format === "percent" || format === "percentValue";
  return isToHundred(input) && isPercent ? "number" : format;
}

const isToHundred = ({ element }: ChartInput): boolean => element.props.stackOffset === "expand";

/** In a chart to 100 %, the share as its axis has it, and the value: "33.3% (1,204)". */
function withShare(
  input: ChartInput,
  shown: readonly Series[],
  series: Series,
  row: number,
  text: string,
): string {
  if (!isToHundred(input)) return text;
  const total = shown.reduce((sum, { values }) => sum + Math.abs(values[row] ?? 0), 0);
  return total === 0
    ? text
    : `${input.formats.value(Math.abs(series.values[row] ?? 0) / total, "percent")} (${text})`;
}

/** Only for values that can be added up: those of one stack or one split. */
function totalText(
  input: ChartInput,
  layout: Layout,
  shown: readonly Series[],
  row: number,
): string | undefined {
  const groups = new Set(shown.map(({ stackId, isSplit }) => (isSplit ? "split" : stackId)));
  if (shown.length < 2 || groups.size !== 1 || groups.has(undefined)) return undefined;
  const total = shown.reduce((sum, { values }) => sum + (values[row] ?? 0), 0);
  const [first] = shown;
  return input.formats.exact(
    Number(total.toPrecision(15)),
    formatBeside(input, first && axisOf(layout, first)),
  );
}

interface ScatterPoint {
  series: Series;
  row: number;
  x: number;
  y: number;
}

function scatterPoints(layout: Layout): ScatterPoint[] {
  return layout.series.flatMap((series) => {
    const axis = axisOf(layout, series);
    return series.values.flatMap((value, row): ScatterPoint[] => {
      const along = layout.categories.positions[row];
      const across = value === undefined || !axis ? Number.NaN : axis.scale(value);
      if (along === undefined || !Number.isFinite(across)) return [];
      return [{ series, row, ...layout.toPoint(along, across) }];
    });
  });
}

function nearestPoint(points: readonly ScatterPoint[], x: number, y: number): number | undefined {
  let best: number | undefined;
  let shortest = 40 ** 2;
  for (const [index, point] of points.entries()) {
    const distance = (point.x - x) ** 2 + (point.y - y) ** 2;
    if (distance < shortest) [best, shortest] = [index, distance];
  }
  return best;
}

function scatterPoint(input: ChartInput, layout: Layout, { series, row, x, y }: ScatterPoint): ScenePoint {
  const { column, rows } = layout.categoryAxis;
  const data = rows[row];
  // A column with names says which point it is.
  const named = input.fields.find(({ type, name }) => type === "string" && typeof data?.[name] === "string");
  const title = series.isSplit ? series.name : named ? String(data?.[named.name]) : "";
  const own = series.isSplit ? (valueLabel(layout) ?? "Value") : series.name;
  return {
    title,
    category: categoryOf(data, input.fields, column),
    rows: [
      {
        name: layout.categoryAxis.label ?? column ?? "",
        color: undefined,
        text: layout.categoryAxis.nameAt(row),
      },
      { name: own, color: series.color, text: exactText(input, layout, series, row) },
    ],
    total: undefined,
    x,
    y,
    cursor: undefined,
    dots: [{ x, y, color: series.color }],
  };
}

const valueLabel = ({ valueAxes: [axis] }: Layout): string | undefined => axis?.label;

function tableOf(input: ChartInput, layout: Layout): SceneTable {
  const { column, label, rows } = layout.categoryAxis;
  const shown = rows.slice(0, maxTableRows);
  return {
    headings: [label ?? column ?? "Row", ...layout.series.map(({ name }) => name)],
    rows: shown.map((_, row) => [
      layout.categoryAxis.nameAt(row),
      ...layout.series.map((series) => exactText(input, layout, series, row)),
    ]),
    more: rows.length - shown.length,
  };
}

const kindNames = {
  line: "Line chart",
  bar: "Bar chart",
  area: "Area chart",
  scatter: "Scatter chart",
} as const;

/** For example: "Line chart of revenue by month: 12 points from Jan 2026 to Dec 2026, from 1,200 to 2,600." */
export function describe(input: ChartInput, layout: Layout): string {
  const { series, categoryAxis } = layout;
  const kinds = new Set(series.map(({ kind }) => kind));
  const [first] = kinds;
  const kind = kinds.size === 1 && first ? kindNames[first] : "Combined chart";
  const names = series.slice(0, 3).map(({ name }) => name);
  const what = `${names.join(", ")}${series.length > 3 ? ` and ${formatCount(series.length - 3)} more` : ""}`;
  const by = categoryAxis.label ?? categoryAxis.column;
  const [from, to] = [categoryAxis.nameAt(0), categoryAxis.nameAt(categoryAxis.rows.length - 1)];
  const range = categoryAxis.kind === "number" || from === to ? "" : ` from ${from} to ${to}`;
  return `${kind} of ${what}${by === undefined ? "" : ` by ${by}`}: ${countOf(categoryAxis.rows.length, "point")}${range}.${extremes(input, layout)}`;
}

function extremes(input: ChartInput, layout: Layout): string {
  const [only] = layout.series;
  if (!only || layout.series.length > 1) return "";
  let [lowest, highest] = [-1, -1];
  only.values.forEach((value, row) => {
    if (value === undefined) return;
    if (lowest === -1 || value < (only.values[lowest] ?? 0)) lowest = row;
    if (highest === -1 || value > (only.values[highest] ?? 0)) highest = row;
  });
  if (lowest === highest) return "";
  const text = (row: number) => `${exactText(input, layout, only, row)} (${layout.categoryAxis.nameAt(row)})`;
  return ` Lowest: ${text(lowest)}. Highest: ${text(highest)}.`;
}
