import { categoriesIn } from "../arrange.ts";
import { type ChartInput, labelOf, numberProp } from "../chart-input.ts";
import { toColor } from "../colors.ts";
import { coordinate } from "../curves.ts";
import type { SceneNode } from "../scene.ts";
import { textWidth } from "../text-width.ts";
import { parseWallTime } from "../times.ts";
import { formatOf } from "./axis-of-series.ts";
import type { Layout } from "./draw-cartesian.ts";
import type { PlacedAxis } from "./value-axis.ts";

/** Lines and areas at given values: areas under the marks, lines over them. */
export function drawReferences(input: ChartInput, layout: Layout): { under: SceneNode[]; over: SceneNode[] } {
  const { children } = input.element;
  return {
    under: children.flatMap((child) =>
      child.name === "ReferenceArea" ? drawArea(input, layout, child) : [],
    ),
    over: children.flatMap((child) => (child.name === "ReferenceLine" ? drawLine(input, layout, child) : [])),
  };
}

type Reference = ChartInput["element"];

const axisOfReference = ({ valueAxes, isHorizontal }: Layout, { props }: Reference): PlacedAxis | undefined =>
  valueAxes.find(({ id }) => id === String(props[isHorizontal ? "xAxisId" : "yAxisId"] ?? 0)) ?? valueAxes[0];

/** The average of all values on an axis, also of those that are added up because they are small. */
function averageOf({ series }: PlacedAxis, { categoryAxis: { rows } }: Layout): number | undefined {
  let [sum, count] = [0, 0];
  for (const { values, spans, stackId } of series) {
    values.forEach((value, row) => {
      if (value === undefined) return;
      // The average of a stack is that of its totals.
      sum += value;
      if (stackId === undefined || spans[row]?.[0] === 0) count += categoriesIn(rows[row] ?? {});
    });
  }
  return count === 0 ? undefined : sum / count;
}

function drawLine(input: ChartInput, layout: Layout, reference: Reference): SceneNode[] {
  const { theme, formats } = input;
  const { plot, isHorizontal } = layout;
  const { props } = reference;
  const axis = axisOfReference(layout, reference);
  const given = isHorizontal ? props.x : props.y;
  const stroke = toColor(props.stroke) ?? theme.text;
  const look = {
    kind: "path",
    part: "reference",
    stroke,
    strokeWidth: numberProp(props.strokeWidth) ?? 1.5,
    strokeDasharray:
      typeof props.strokeDasharray === "string" && /^[\d\s.,]+$/.test(props.strokeDasharray)
        ? props.strokeDasharray
        : "5 4",
  } as const;
  const text = {
    kind: "text",
    part: "reference",
    size: 11,
    fill: theme.text,
    halo: theme.background,
    weight: 600,
  } as const;
  const along = categoryPlace(layout, isHorizontal ? props.y : props.x, input);
  const label = labelOf(reference);
  if (along !== undefined) {
    const [from, to] = isHorizontal
      ? [
          { x: plot.left, y: along },
          { x: plot.right, y: along },
        ]
      : [
          { x: along, y: plot.top },
          { x: along, y: plot.bottom },
        ];
    const line = {
      ...look,
      d: `M${coordinate(from.x)},${coordinate(from.y)}L${coordinate(to.x)},${coordinate(to.y)}`,
    };
    const atRight = from.x > (plot.left + plot.right) / 2;
    return label === undefined
      ? [line]
      : [
          line,
          {
            ...text,
            x: from.x + (atRight ? -5 : 5),
            y: plot.top + 12,
            text: label,
            anchor: atRight ? "end" : "start",
          },
        ];
  }
  const value = given === "average" && axis ? averageOf(axis, layout) : numberProp(given);
  if (value === undefined || !axis) return [];
  const across = axis.scale(value);
  const [low, high] = isHorizontal ? [plot.left, plot.right] : [plot.top, plot.bottom];
  if (!Number.isFinite(across) || across < low - 1 || across > high + 1) return [];
  const name = label ?? (given === "average" ? "Average" : "");
  // A label that has a number already says enough.
  const words = /\d/.test(name) ? name : `${name} ${formats.short(value, formatOf(input, axis))}`.trim();
  if (isHorizontal) {
    const isNearEnd = across > plot.right - 80;
    return [
      { ...look, d: `M${coordinate(across)},${coordinate(plot.top)}V${coordinate(plot.bottom)}` },
      {
        ...text,
        x: across + (isNearEnd ? -5 : 5),
        y: plot.top + 10,
        text: words,
        anchor: isNearEnd ? "end" : "start",
      },
    ];
  }
  const y = across + (across < plot.top + 16 ? 13 : -5);
  const labelWidth = textWidth(words, text.size, text.weight) + 4;
  const atRight = distanceToMarks(layout, axis, { from: plot.right - labelWidth, to: plot.right, at: y - 4 });
  const atLeft = distanceToMarks(layout, axis, { from: plot.left, to: plot.left + labelWidth, at: y - 4 });
  const anchor = atRight >= text.size || atRight >= atLeft ? "end" : "start";
  return [
    { ...look, d: `M${coordinate(plot.left)},${coordinate(across)}H${coordinate(plot.right)}` },
    { ...text, x: anchor === "end" ? plot.right - 4 : plot.left + 4, y, text: words, anchor },
  ];
}

/** How far the nearest end of a mark is, up or down, from a label that stands between two places. */
function distanceToMarks(
  { categories: { positions, step } }: Layout,
  { series, scale }: PlacedAxis,
  { from, to, at }: { from: number; to: number; at: number },
): number {
  let least = Number.POSITIVE_INFINITY;
  positions.forEach((place, row) => {
    // A line also goes through the label on its way from the point before and to the one after.
    if (place < from - step || place > to + step) return;
    for (const { spans } of series) {
      const [, end] = spans[row] ?? [];
      if (end !== undefined) least = Math.min(least, Math.abs(scale(end) - at));
    }
  });
  return least;
}

/** The place of a category, or of a time or number on its axis. */
function categoryPlace(
  { categoryAxis, categories }: Layout,
  value: unknown,
  { formats }: ChartInput,
): number | undefined {
  if (value === undefined || value === null) return undefined;
  const { column, rows, kind, places } = categoryAxis;
  const row = column === undefined ? -1 : rows.findIndex((one) => one[column] === value);
  if (row !== -1) return categories.positions[row];
  const place =
    kind === "number"
      ? numberProp(value)
      : kind === "time"
        ? parseWallTime(value, formats.offsetAt)
        : undefined;
  if (place === undefined || places.length < 2) return undefined;
  const after = places.findIndex((one) => one >= place);
  const [before, next] = [places[after - 1], places[after]];
  const [x0, x1] = [categories.positions[after - 1], categories.positions[after]];
  if (before === undefined || next === undefined || x0 === undefined || x1 === undefined) return undefined;
  return x0 + ((place - before) / (next - before || 1)) * (x1 - x0);
}

function drawArea(input: ChartInput, layout: Layout, reference: Reference): SceneNode[] {
  const { plot, isHorizontal, categories } = layout;
  const { props } = reference;
  const axis = axisOfReference(layout, reference);
  const value = (given: unknown, fallback: number) => {
    const number = numberProp(given);
    const place = number === undefined || !axis ? fallback : axis.scale(number);
    return Number.isFinite(place) ? place : fallback;
  };
  const half = layout.categoryAxis.kind === "band" ? categories.step / 2 : 0;
  const category = (given: unknown, fallback: number, sign: number) => {
    const place = categoryPlace(layout, given, input);
    return place === undefined ? fallback : place + sign * half;
  };
  const [left, right] = isHorizontal
    ? [value(props.x1, plot.left), value(props.x2, plot.right)]
    : [category(props.x1, plot.left, -1), category(props.x2, plot.right, 1)];
  const [top, bottom] = isHorizontal
    ? [category(props.y1, plot.top, -1), category(props.y2, plot.bottom, 1)]
    : [value(props.y2, plot.top), value(props.y1, plot.bottom)];
  const label = labelOf(reference);
  return [
    {
      kind: "path",
      part: "reference",
      d: `M${coordinate(left)},${coordinate(top)}H${coordinate(right)}V${coordinate(bottom)}H${coordinate(left)}Z`,
      fill: toColor(props.fill) ?? input.theme.axis,
      fillOpacity: numberProp(props.fillOpacity) ?? 0.15,
    },
    ...(label === undefined
      ? []
      : [
          {
            kind: "text",
            part: "reference",
            size: 11,
            fill: input.theme.dimmed,
            x: (left + right) / 2,
            y: Math.min(top, bottom) + 13,
            text: label,
            anchor: "middle",
          } as const,
        ]),
  ];
}
