import { isRest } from "../arrange.ts";
import { type ChartInput, formatProp, numberProp } from "../chart-input.ts";
import { toColor } from "../colors.ts";
import { type Curve, coordinate, curvePath, type Point, thinOut, toCurve } from "../curves.ts";
import type { ValueFormat } from "../formats.ts";
import { othersColor } from "../palette.ts";
import type { SceneNode, TextNode } from "../scene.ts";
import { textWidth } from "../text-width.ts";
import type { Layout } from "./draw-cartesian.ts";
import type { Series } from "./series.ts";
import type { PlacedAxis } from "./value-axis.ts";

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

export const axisOf = ({ valueAxes }: Layout, { axisId }: Series): PlacedAxis | undefined =>
  valueAxes.find(({ id }) => id === axisId);

/** Where the bars of a series begin within a band, and how wide they are. */
type BarPlaces = Map<Series, { offset: number; width: number }>;

function barPlaces({ element }: ChartInput, { series, categories: { step } }: Layout): BarPlaces {
  const bars = series.filter(({ kind }) => kind === "bar");
  const stacks = [...new Set(bars.map(stackOf))];
  const maxWidth = stacks.length === 1 ? 72 : 48;
  const gap = step < 6 ? 0 : Math.max(1, step * 0.1);
  const room = Math.max(step - gap * 2, step * 0.5);
  const given = numberProp(element.props.barSize);
  const width = Math.max(0.5, Math.min(room / Math.max(1, stacks.length), given ?? maxWidth));
  const start = -(width * stacks.length) / 2;
  return new Map(
    bars.map((one) => {
      const own =
        numberProp(one.props.barSize) ?? numberProp(one.props.maxBarSize) ?? Number.POSITIVE_INFINITY;
      const narrow = Math.min(own, width > 4 && stacks.length > 1 ? width - 1 : width);
      return [
        one,
        { offset: start + stacks.indexOf(stackOf(one)) * width + (width - narrow) / 2, width: narrow },
      ];
    }),
  );
}

const stackOf = (series: Series): string =>
  series.stackId === undefined
    ? `series ${series.key} ${series.name}`
    : `stack ${series.axisId} ${series.stackId}`;

function drawBars(layout: Layout, series: Series, places: BarPlaces): SceneNode[] {
  const axis = axisOf(layout, series);
  const place = places.get(series);
  if (!axis || !place) return [];
  // All bars of one colour are one path: an element for each would be slow.
  const byColor = new Map<string, string[]>();
  series.spans.forEach((span, row) => {
    const along = layout.categories.positions[row];
    if (!span || along === undefined) return;
    const base = axis.isLog ? axis.scale.domain[0] : span[0];
    const [from, to] = [axis.scale(base), axis.scale(span[1])];
    if (!Number.isFinite(from) || !Number.isFinite(to)) return;
    const data = layout.categoryAxis.rows[row];
    const isOthers = data !== undefined && isRest(data) && !series.isSplit && series.stackId === undefined;
    const color = cellColor(layout, series, row) ?? (isOthers ? othersColor : series.color);
    const paths = byColor.get(color) ?? [];
    byColor.set(color, paths);
    const corner = layout.toPoint(along + place.offset, from);
    const radius = series.stackId === undefined ? Math.min(3, place.width / 4, Math.abs(to - from)) : 0;
    paths.push(
      barPath(corner, { breadth: place.width, length: to - from, radius, isHorizontal: layout.isHorizontal }),
    );
  });
  return [...byColor].map(([color, paths]) => ({
    kind: "path",
    part: "bar",
    d: paths.join(""),
    fill: color,
    fillOpacity: numberProp(series.props.fillOpacity),
  }));
}

interface BarShape {
  breadth: number;
  length: number;
  radius: number;
  isHorizontal: boolean;
}

/** A bar whose far end is rounded. */
function barPath({ x, y }: Point, { breadth, length, radius, isHorizontal }: BarShape): string {
  const sign = Math.sign(length) || 1;
  const straight = coordinate(length - sign * radius);
  const [r, inner] = [coordinate(radius), coordinate(breadth - 2 * radius)];
  const at = `M${coordinate(x)},${coordinate(y)}`;
  if (radius < 0.5) {
    const [w, h] = isHorizontal ? [length, breadth] : [breadth, length];
    return `${at}h${coordinate(w)}v${coordinate(h)}h${coordinate(-w)}Z`;
  }
  const [sr, backwards] = [coordinate(sign * radius), coordinate(-(length - sign * radius))];
  return isHorizontal
    ? `${at}h${straight}q${sr},0 ${sr},${r}v${inner}q0,${r} ${coordinate(-sign * radius)},${r}h${backwards}Z`
    : `${at}v${straight}q0,${sr} ${r},${sr}h${inner}q${r},0 ${r},${coordinate(-sign * radius)}v${backwards}Z`;
}

/** A `Cell` by the name of its category, or by its position. */
function cellColor({ categoryAxis }: Layout, { children }: Series, row: number): string | undefined {
  const cells = children.filter((child) => child.name === "Cell");
  if (cells.length === 0) return undefined;
  const name = categoryAxis.nameAt(row);
  const named = cells.find(({ props }) => props.name !== undefined && props.name === name);
  const placed = cells.filter(({ props }) => props.name === undefined)[row];
  return toColor((named ?? placed)?.props.fill);
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

const labelSize = 11;

/** The format of a series: that of its axis, or of the tooltip. */
export function formatOf({ element }: ChartInput, axis: PlacedAxis | undefined): ValueFormat {
  const isPercent = element.props.stackOffset === "expand";
  const tooltip = formatProp(element.children.find(({ name }) => name === "Tooltip")?.props.valueFormat);
  const own = axis && !isPercent ? formatProp(axis.props.format) : undefined;
  // A second axis has another unit than the tooltip, whose format is that of the first.
  return own ?? (axis?.isOpposite ? undefined : tooltip) ?? "auto";
}

/** The values beside their marks, as many as have room. */
function drawLabels(input: ChartInput, layout: Layout, bars: BarPlaces): SceneNode[] {
  const taken: { left: number; right: number; top: number; bottom: number }[] = [];
  return layout.series.flatMap((series) => {
    const list = series.children.find(({ name }) => name === "LabelList");
    const axis = axisOf(layout, series);
    if (!list || !axis) return [];
    const format = formatProp(list.props.format) ?? formatOf(input, axis);
    return series.spans.flatMap((span, row): TextNode[] => {
      const along = layout.categories.positions[row];
      const value = series.values[row];
      if (!span || along === undefined || value === undefined) return [];
      const text = input.formats.short(value, format);
      const place = bars.get(series);
      const middle = along + (place ? place.offset + place.width / 2 : 0);
      const found = labelPlace(layout, { span, series, axis, middle, text });
      if (!found) return [];
      const width = textWidth(text, labelSize);
      const left =
        found.anchor === "middle" ? found.x - width / 2 : found.anchor === "end" ? found.x - width : found.x;
      const box = { left: left - 2, right: left + width + 2, top: found.y - labelSize, bottom: found.y + 2 };
      if (taken.some((other) => overlaps(box, other))) return [];
      taken.push(box);
      return [
        {
          kind: "text",
          part: "label",
          size: labelSize,
          fill: input.theme.text,
          halo: input.theme.background,
          text,
          ...found,
        },
      ];
    });
  });
}

interface LabelPlace {
  span: [number, number];
  series: Series;
  axis: PlacedAxis;
  middle: number;
  text: string;
}

function labelPlace(
  { isHorizontal, toPoint, plot }: Layout,
  { span, series, axis, middle, text }: LabelPlace,
): Pick<TextNode, "x" | "y" | "anchor"> | undefined {
  const [from, to] = [axis.scale(axis.isLog ? axis.scale.domain[0] : span[0]), axis.scale(span[1])];
  if (!Number.isFinite(to)) return undefined;
  const isInside = series.stackId !== undefined && (series.kind === "bar" || series.kind === "area");
  if (isInside) {
    const room = Math.abs(to - from);
    if (room < (isHorizontal ? textWidth(text, labelSize) + 4 : labelSize + 3)) return undefined;
    const { x, y } = toPoint(middle, (from + to) / 2);
    return { x, y: y + 4, anchor: "middle" };
  }
  const { x, y } = toPoint(middle, to);
  if (isHorizontal) {
    const width = textWidth(text, labelSize);
    if (to < from) return { x: x - 5, y: y + 4, anchor: "end" };
    return x + 5 + width > plot.right + 40
      ? { x: x - 5, y: y + 4, anchor: "end" }
      : { x: x + 5, y: y + 4, anchor: "start" };
  }
  const isBelow = to > from && series.kind === "bar";
  const above = Math.max(plot.top + 8, y - 6);
  return { x, y: isBelow ? y + labelSize + 3 : above, anchor: "middle" };
}

const overlaps = (a: Record<"left" | "right" | "top" | "bottom", number>, b: typeof a): boolean =>
  a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;
