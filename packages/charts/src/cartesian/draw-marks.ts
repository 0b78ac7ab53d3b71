import { type ChartInput, numberProp } from "../chart-input.ts";
import { type Curve, curvePath, type Point, thinOut, toCurve } from "../curves.ts";
import type { SceneNode } from "../scene.ts";
import { axisOf } from "./axis-of-series.ts";
import { type BarPlaces, barPlaces, cellColor, drawBars } from "./draw-bars.ts";
import type { Layout } from "./draw-cartesian.ts";
import { drawLabels } from "./draw-labels.ts";
import type { Series } from "./series.ts";

/** Areas first, then bars, lines and points, each in the order of the text. Labels on top of all. */
export function drawMarks(input: ChartInput, layout: Layout): SceneNode[] {
  const order = ["area", "bar", "line", "scatter"] as const;
  const bars = barPlaces(input, layout);
  const ordered = order.flatMap((kind) => layout.series.filter((series) => series.kind === kind));
  const marks = ordered.flatMap((series) => drawSeries(input, layout, series, bars));
  const { plot } = layout;
  return [
    {
      kind: "clip",
      x: plot.left,
      y: plot.top,
      // A frame can be narrower than its texts for a moment, while its page is laid out.
      width: Math.max(0, plot.right - plot.left),
      height: Math.max(0, plot.bottom - plot.top),
      nodes: marks,
    },
    ...drawLabels(input, layout, bars),
  ];
}

function drawSeries(input: ChartInput, layout: Layout, series: Series, bars: BarPlaces): SceneNode[] {
  switch (series.kind) {
    case "bar":
      return drawBars(layout, series, bars);
    case "line":
      return drawLine(input, layout, series);
    case "area":
      return drawArea(layout, series);
    case "scatter":
      return drawPoints(input, layout, series);
  }
}

/** The points of a series without gaps in between. */
function segmentsOf(
  layout: Layout,
  series: Series,
  connects: boolean,
): { row: number; point: Point; base: Point }[][] {
  const axis = axisOf(layout, series);
  const segments: { row: number; point: Point; base: Point }[][] = [];
  let isOpen = false;
  series.spans.forEach((span, row) => {
    const along = layout.categories.positions[row];
    const across = span && axis ? axis.scale(span[1]) : Number.NaN;
    if (!span || !axis || along === undefined || !Number.isFinite(across)) {
      if (!connects) isOpen = false;
      return;
    }
    const base = axis.scale(axis.isLog ? axis.scale.domain[0] : span[0]);
    const entry = { row, point: layout.toPoint(along, across), base: layout.toPoint(along, base) };
    if (isOpen) segments.at(-1)?.push(entry);
    else segments.push([entry]);
    isOpen = true;
  });
  return segments;
}

const connectsGaps = (series: Series): boolean => series.props.connectNulls === true;

const curveOf = ({ isHorizontal }: Layout, series: Series): Curve =>
  isHorizontal ? "linear" : toCurve(series.props.type);

function drawLine({ theme }: ChartInput, layout: Layout, series: Series): SceneNode[] {
  const segments = segmentsOf(layout, series, connectsGaps(series));
  const width = layout.plot.right - layout.plot.left;
  const count = segments.reduce((sum, { length }) => sum + length, 0);
  // So many points are easier to see in a thinner line.
  const strokeWidth = (numberProp(series.props.strokeWidth) ?? 2) * (count > width / 2 ? 0.7 : 1);
  const d = segments
    .filter((segment) => segment.length > 1)
    .map((segment) =>
      curvePath(
        thinOut(
          segment.map(({ point }) => point),
          width,
        ),
        curveOf(layout, series),
      ),
    );
  const dash = series.props.strokeDasharray;
  const line = {
    kind: "path",
    part: "line",
    d: d.join(""),
    stroke: series.color,
    strokeWidth,
    lineCap: "round",
    strokeDasharray: typeof dash === "string" && /^[\d\s.,]+$/.test(dash) ? dash : undefined,
    opacity: numberProp(series.props.opacity),
  } as const;
  // On bars, whose colour may be as light as its own, a line has an edge.
  const isOnBars = layout.series.some(({ kind }) => kind === "bar");
  return [
    ...(isOnBars ? [{ ...line, stroke: theme.background, strokeWidth: strokeWidth + 3 }] : []),
    line,
    ...drawDots(
      layout,
      series,
      segments.map((segment) => segment.map(({ point }) => point)),
      strokeWidth + 0.5,
    ),
  ];
}

/** Dots where they are asked for and have room, and for a value between two gaps, which has no line. */
function drawDots(layout: Layout, series: Series, segments: Point[][], r: number): SceneNode[] {
  const count = segments.reduce((sum, { length }) => sum + length, 0);
  const hasRoom = count * 8 <= layout.plot.right - layout.plot.left;
  const isWanted =
    series.kind === "line" ? series.props.dot !== false && hasRoom : series.props.dot === true && hasRoom;
  const shown = segments.flatMap((segment) => (isWanted || segment.length === 1 ? segment : []));
  return shown.map(({ x, y }) => ({
    kind: "circle",
    part: "point",
    x,
    y,
    r: Math.max(2.5, r),
    fill: series.color,
  }));
}

function drawArea(layout: Layout, series: Series): SceneNode[] {
  const segments = segmentsOf(layout, series, connectsGaps(series));
  const width = layout.plot.right - layout.plot.left;
  const curve = curveOf(layout, series);
  const isStacked = series.stackId !== undefined;
  const edges = segments
    .filter((segment) => segment.length > 1)
    .map((segment) => ({
      upper: thinOut(
        segment.map(({ point }) => point),
        width,
      ),
      lower: thinOut(
        segment.map(({ base }) => base),
        width,
      ).toReversed(),
    }));
  return [
    {
      kind: "path",
      part: "area",
      d: edges
        .map(({ upper, lower }) => `${curvePath(upper, curve)}${curvePath(lower, curve, "L")}Z`)
        .join(""),
      fill: series.color,
      fillOpacity: numberProp(series.props.fillOpacity) ?? (isStacked ? 0.6 : 0.25),
    },
    {
      kind: "path",
      part: "line",
      d: edges.map(({ upper }) => curvePath(upper, curve)).join(""),
      stroke: series.color,
      strokeWidth: numberProp(series.props.strokeWidth) ?? 1.5,
      lineCap: "round",
    },
    ...drawDots(
      layout,
      series,
      segments.map((segment) => segment.map(({ point }) => point)),
      2,
    ),
  ];
}

/** Up to this many points are circles, which show where they overlap. */
const maxCircles = 1500;

function drawPoints({ element }: ChartInput, layout: Layout, series: Series): SceneNode[] {
  const segments = segmentsOf(layout, series, true).flat();
  const radius = pointRadius(element, layout, segments.length);
  if (segments.length <= maxCircles) {
    return segments.map(({ row, point }) => ({
      kind: "circle",
      part: "point",
      ...point,
      r: radius(row),
      fill: cellColor(layout, series, row) ?? series.color,
      fillOpacity: 0.7,
    }));
  }
  const width = layout.plot.right - layout.plot.left;
  const places = new Set(segments.map(({ point }) => `M${Math.round(point.x)},${Math.round(point.y)}h0`));
  return [
    {
      kind: "path",
      part: "point",
      d: [...places].join(""),
      stroke: series.color,
      strokeWidth: width < 500 ? 3 : 4,
      lineCap: "round",
      opacity: 0.6,
    },
  ];
}

/** The size of points, from the column of a `ZAxis`. */
function pointRadius(
  { children }: ChartInput["element"],
  { categoryAxis: { rows } }: Layout,
  count: number,
): (row: number) => number {
  const zAxis = children.find(({ name }) => name === "ZAxis");
  const key = zAxis?.props.dataKey;
  const usual = count > 400 ? 2.5 : count > 100 ? 3.5 : 4.5;
  if (typeof key !== "string") return () => usual;
  const sizes = rows.map((row) => (typeof row[key] === "number" ? Number(row[key]) : 0));
  const [low, high] = [Math.min(...sizes), Math.max(...sizes)];
  const range = Array.isArray(zAxis?.props.range) ? zAxis.props.range : [];
  const [small, large] = [numberProp(range[0]) ?? 40, numberProp(range[1]) ?? 600];
  // A range is that of areas.
  return (row) =>
    Math.sqrt((small + (((sizes[row] ?? low) - low) / (high - low || 1)) * (large - small)) / Math.PI);
}
