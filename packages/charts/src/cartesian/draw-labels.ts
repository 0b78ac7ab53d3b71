import { type ChartInput, formatProp } from "../chart-input.ts";
import type { SceneNode, TextNode } from "../scene.ts";
import { textWidth } from "../text-width.ts";
import { axisOf, formatOf } from "./axis-of-series.ts";
import type { BarPlaces } from "./draw-bars.ts";
import type { Layout } from "./draw-cartesian.ts";
import type { Series } from "./series.ts";
import type { PlacedAxis } from "./value-axis.ts";

const labelSize = 11;

/** The values beside their marks, as many as have room. */
export function drawLabels(input: ChartInput, layout: Layout, bars: BarPlaces): SceneNode[] {
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
