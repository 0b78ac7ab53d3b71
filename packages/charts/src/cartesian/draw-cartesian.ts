import { type ChartInput, childOf } from "../chart-input.ts";
import { countOf } from "../counts.ts";
import { type Legend, layOutLegend } from "../legend.ts";
import { emptyScene, type Scene, type SceneNode } from "../scene.ts";
import { type CategoryAxis, readCategoryAxis } from "./category-axis.ts";
import { drawAxes } from "./draw-axes.ts";
import { drawMarks } from "./draw-marks.ts";
import { drawReferences } from "./draw-references.ts";
import { type PlacedCategories, placeAcross, placeDown } from "./place-categories.ts";
import { describe, pointReader } from "./points.ts";
import { readSeries, type Series } from "./series.ts";
import { type PlacedAxis, placeAxis, readValueAxes, tickSize, type ValueAxis } from "./value-axis.ts";

/** The rectangle in which marks are drawn. */
interface Plot {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** A chart with axes, with everything at its place. */
export interface Layout {
  plot: Plot;
  isHorizontal: boolean;
  series: readonly Series[];
  categoryAxis: CategoryAxis;
  categories: PlacedCategories;
  valueAxes: readonly PlacedAxis[];
  /** A place on the axis of categories and one on a value axis. */
  toPoint(along: number, across: number): { x: number; y: number };
}

/** Draws lines, bars, areas and points. */
export function drawCartesian(input: ChartInput): Scene {
  const { element, theme, width, height, margins, formats } = input;
  const isHorizontal = element.props.layout === "vertical";
  const categoryAxis = readCategoryAxis(input, isHorizontal);
  const series = readSeries({ element, data: categoryAxis.rows, formats });
  if (
    categoryAxis.rows.length === 0 ||
    series.every(({ values }) => values.every((value) => value === undefined))
  )
    return emptyScene({ width, height }, theme);
  const axes = readValueAxes({ element, series, isHorizontal });
  const inner: Plot = {
    left: margins.left,
    right: width - margins.right,
    top: margins.top,
    bottom: height - margins.bottom,
  };
  const legend = readLegend(input, series, inner);
  const legendAtTop = childOf(element, "Legend")?.props.verticalAlign === "top";
  const legendSpace = legend ? legend.height + 8 : 0;
  const room = legendAtTop
    ? { ...inner, top: inner.top + legendSpace }
    : { ...inner, bottom: inner.bottom - legendSpace };
  const layout = isHorizontal
    ? layOutDown(input, { room, axes, categoryAxis, series })
    : layOutAcross(input, { room, axes, categoryAxis, series });
  const { under, over } = drawReferences(input, layout);
  const nodes: SceneNode[] = [
    ...drawAxes(input, layout),
    ...under,
    ...drawMarks(input, layout),
    ...over,
    ...(legend ? legend.draw(legendAtTop ? inner.top : inner.bottom - legend.height) : []),
  ];
  const notes = [...input.notes, ...logNotes(axes), ...leftOutNotes(categoryAxis)];
  return { width, height, nodes, notes, description: describe(input, layout), ...pointReader(input, layout) };
}

interface Unplaced {
  room: Plot;
  axes: readonly ValueAxis[];
  categoryAxis: CategoryAxis;
  series: readonly Series[];
}

const tickGap = 8;
const titleHeight = 20;

/** The usual layout: categories along the bottom, values at the left and perhaps the right. */
function layOutAcross({ formats }: ChartInput, { room, axes, categoryAxis, series }: Unplaced): Layout {
  const titleBelow = categoryAxis.label === undefined ? 0 : titleHeight;
  const place = (plot: Plot) =>
    axes.map((axis) => placeAxis(axis, [plot.bottom, plot.top], { formats, isAcross: false }));
  const sides = (placed: readonly PlacedAxis[], isOpposite: boolean) =>
    placed
      .filter((axis) => axis.isOpposite === isOpposite && !axis.isHidden)
      .reduce((sum, axis) => sum + axisWidth(axis), 0);
  // The texts below need the width, and the ticks at the side the height: the second pass knows both.
  let plot: Plot = { ...room, top: room.top + 6, bottom: room.bottom - 20 };
  let placed = place(plot);
  let categories = placeAcross(categoryAxis, [plot.left, plot.right], formats);
  for (let pass = 0; pass < 2; pass++) {
    plot = { ...plot, left: room.left + sides(placed, false), right: room.right - sides(placed, true) };
    const inset = categoryAxis.kind === "band" ? 0 : insetOf(series);
    categories = placeAcross(categoryAxis, [plot.left + inset, plot.right - inset], formats);
    // A turned text goes to the left of its tick.
    const first = categories.isTurned
      ? (categories.ticks[0]?.at ?? plot.left) - categories.height
      : room.left;
    if (first < room.left) plot = { ...plot, left: plot.left + Math.min(60, room.left - first) };
    const below = (categoryAxis.isHidden ? 0 : categories.height + tickGap) + titleBelow;
    plot = { ...plot, bottom: Math.max(plot.top + 20, room.bottom - below) };
    placed = place(plot);
  }
  const inset = categoryAxis.kind === "band" ? 0 : insetOf(series);
  categories = placeAcross(categoryAxis, [plot.left + inset, plot.right - inset], formats);
  return {
    plot,
    isHorizontal: false,
    series,
    categoryAxis,
    categories,
    valueAxes: placed,
    toPoint: (x, y) => ({ x, y }),
  };
}

/** Points at the edges are not cut. */
const insetOf = (series: readonly Series[]): number =>
  series.some(({ kind }) => kind === "scatter") ? 6 : 2;

const axisWidth = (axis: PlacedAxis): number => {
  const given = typeof axis.props.width === "number" ? axis.props.width : undefined;
  const title = axis.label === undefined ? 0 : titleHeight;
  return Math.max(given ?? 0, axis.width + tickGap + title);
};

/** Bars that lie: names at the left, values along the bottom. */
function layOutDown({ formats }: ChartInput, { room, axes, categoryAxis, series }: Unplaced): Layout {
  const width = room.right - room.left;
  const titleBelow = axes.some(({ label }) => label !== undefined) ? titleHeight : 0;
  const hasTicks = axes.some(({ isHidden }) => !isHidden);
  const plotBottom = room.bottom - (hasTicks ? tickSize + tickGap + 2 : 0) - titleBelow;
  const plotTop = room.top + (axes.some(({ isOpposite, isHidden }) => isOpposite && !isHidden) ? 20 : 2);
  const down = placeDown(categoryAxis, [plotTop, plotBottom], Math.min(320, width * 0.42));
  const title = categoryAxis.label === undefined ? 0 : titleHeight;
  const left = room.left + (categoryAxis.isHidden ? 0 : down.width + tickGap) + title;
  // The last text of the axis stands half beyond the plot.
  let right = room.right - 8;
  let placed = axes.map((axis) => placeAxis(axis, [left, right], { formats, isAcross: true }));
  const beyond = Math.max(0, ...placed.map(({ width: widest, isHidden }) => (isHidden ? 0 : widest / 2)));
  right = Math.max(left + 20, room.right - Math.max(8, beyond));
  placed = axes.map((axis) => placeAxis(axis, [left, right], { formats, isAcross: true }));
  return {
    plot: { left, right, top: plotTop, bottom: plotBottom },
    isHorizontal: true,
    series,
    categoryAxis,
    categories: down,
    valueAxes: placed,
    toPoint: (along, across) => ({ x: across, y: along }),
  };
}

function readLegend(
  { element, theme }: ChartInput,
  series: readonly Series[],
  { left, right }: Plot,
): Legend | undefined {
  const legend = childOf(element, "Legend");
  const items = series.filter(({ props }) => props.legendType !== "none");
  if (!legend || items.length === 0) return undefined;
  return layOutLegend(items, { left, width: right - left, color: theme.text });
}

function leftOutNotes({ leftOut, column }: CategoryAxis): string[] {
  return leftOut === 0 ? [] : [`Without a value of ${column}, and not shown: ${countOf(leftOut, "row")}.`];
}

function logNotes(axes: readonly ValueAxis[]): string[] {
  const isLeftOut = axes.some(
    ({ isLog, series }) =>
      isLog && series.some(({ values }) => values.some((value) => value !== undefined && value <= 0)),
  );
  return isLeftOut
    ? ["A logarithmic axis has no place for zero and negative values: they are not shown."]
    : [];
}
