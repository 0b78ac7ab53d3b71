import { isRest } from "../arrange.ts";
import { type ChartInput, numberProp } from "../chart-input.ts";
import { toColor } from "../colors.ts";
import { coordinate, type Point } from "../curves.ts";
import { othersColor } from "../palette.ts";
import type { SceneNode } from "../scene.ts";
import { axisOf } from "./axis-of-series.ts";
import type { Layout } from "./draw-cartesian.ts";
import type { Series } from "./series.ts";

/** Where the bars of a series begin within a band, and how wide they are. */
export type BarPlaces = Map<Series, { offset: number; width: number }>;

export function barPlaces({ element }: ChartInput, { series, categories: { step } }: Layout): BarPlaces {
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

export function drawBars(layout: Layout, series: Series, places: BarPlaces): SceneNode[] {
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
export function cellColor({ categoryAxis }: Layout, { children }: Series, row: number): string | undefined {
  const cells = children.filter((child) => child.name === "Cell");
  if (cells.length === 0) return undefined;
  const name = categoryAxis.nameAt(row);
  const named = cells.find(({ props }) => props.name !== undefined && props.name === name);
  const placed = cells.filter(({ props }) => props.name === undefined)[row];
  return toColor((named ?? placed)?.props.fill);
}
