import { type ChartInput, childOf } from "../chart-input.ts";
import { coordinate } from "../curves.ts";
import type { SceneNode, TextNode } from "../scene.ts";
import { fitText, textWidth } from "../text-width.ts";
import type { Layout } from "./draw-cartesian.ts";
import { turnedAngle } from "./place-categories.ts";
import { type PlacedAxis, tickSize } from "./value-axis.ts";

/** Half a pixel, so that a thin line lies on one row of pixels. */
const crisp = (value: number): number => Math.round(value) + 0.5;

/** The grid, the lines of the axes, their texts and titles. */
export function drawAxes(input: ChartInput, layout: Layout): SceneNode[] {
  return [
    ...drawGrid(input, layout),
    ...layout.valueAxes.flatMap((axis) => (axis.isHidden ? [] : drawValueAxis(input, layout, axis))),
    ...(layout.categoryAxis.isHidden ? [] : drawCategoryAxis(input, layout)),
  ];
}

function drawGrid({ element, theme }: ChartInput, { plot, isHorizontal, valueAxes }: Layout): SceneNode[] {
  const grid = childOf(element, "CartesianGrid");
  const [axis] = valueAxes;
  if (!grid || !axis || grid.props[isHorizontal ? "vertical" : "horizontal"] === false) return [];
  const d = axis.ticks
    .map((tick) => crisp(axis.scale(tick)))
    .map((at) =>
      isHorizontal
        ? `M${at},${coordinate(plot.top)}V${coordinate(plot.bottom)}`
        : `M${coordinate(plot.left)},${at}H${coordinate(plot.right)}`,
    );
  return [{ kind: "path", part: "grid", d: d.join(""), stroke: theme.grid, strokeWidth: 1 }];
}

function drawValueAxis({ theme }: ChartInput, { plot, isHorizontal }: Layout, axis: PlacedAxis): SceneNode[] {
  const text = { kind: "text", part: "axis", size: tickSize, fill: theme.dimmed } as const;
  const ticks = axis.ticks.map((tick, index): TextNode => {
    const at = axis.scale(tick);
    const words = axis.texts[index] ?? "";
    if (isHorizontal) {
      const y = axis.isOpposite ? plot.top - 8 : plot.bottom + tickSize + 6;
      return { ...text, x: at, y, text: words, anchor: "middle" };
    }
    return axis.isOpposite
      ? { ...text, x: plot.right + 8, y: at + 4, text: words, anchor: "start" }
      : { ...text, x: plot.left - 8, y: at + 4, text: words, anchor: "end" };
  });
  return [...ticks, ...drawValueTitle(theme.dimmed, { plot, isHorizontal }, axis)];
}

function drawValueTitle(
  fill: string,
  { plot, isHorizontal }: Pick<Layout, "plot" | "isHorizontal">,
  axis: PlacedAxis,
): TextNode[] {
  if (axis.label === undefined) return [];
  const title = { kind: "text", part: "axis", size: tickSize, fill, anchor: "middle" } as const;
  const middle = { x: (plot.left + plot.right) / 2, y: (plot.top + plot.bottom) / 2 };
  if (isHorizontal) {
    return [
      {
        ...title,
        x: middle.x,
        y: plot.bottom + tickSize + 26,
        text: fitText(axis.label, plot.right - plot.left, tickSize),
      },
    ];
  }
  const text = fitText(axis.label, plot.bottom - plot.top, tickSize);
  const x = axis.isOpposite ? plot.right + axis.width + 22 : plot.left - axis.width - 18;
  return [{ ...title, x, y: middle.y, text, rotate: axis.isOpposite ? 90 : -90 }];
}

function drawCategoryAxis(
  { theme, width }: ChartInput,
  { plot, isHorizontal, categoryAxis, categories, valueAxes }: Layout,
): SceneNode[] {
  const text = { kind: "text", part: "axis", size: tickSize, fill: theme.dimmed } as const;
  const [first] = valueAxes;
  const title = { ...text, anchor: "middle" } as const;
  if (isHorizontal) {
    const names = categories.ticks.map(
      ({ at, lines: [name = ""] }): TextNode => ({
        ...text,
        x: plot.left - 8,
        y: at + 4,
        text: name,
        anchor: "end",
      }),
    );
    const zero = first && isInside(first, 0) ? first.scale(0) : plot.left;
    const line = `M${crisp(zero)},${coordinate(plot.top)}V${coordinate(plot.bottom)}`;
    const words = categoryAxis.label;
    const width = "width" in categories && typeof categories.width === "number" ? categories.width : 0;
    return [
      ...names,
      { kind: "path", part: "axis", d: line, stroke: theme.axis, strokeWidth: 1 },
      ...(words === undefined
        ? []
        : [
            {
              ...title,
              x: plot.left - width - 16,
              y: (plot.top + plot.bottom) / 2,
              text: words,
              rotate: -90,
            },
          ]),
    ];
  }
  const zero = first && !first.isLog && isInside(first, 0) ? first.scale(0) : plot.bottom;
  const lines = [`M${coordinate(plot.left)},${crisp(zero)}H${coordinate(plot.right)}`];
  const texts = categories.ticks.flatMap(({ at, lines: words }): TextNode[] => {
    if (categories.isTurned) {
      const turned = { ...text, x: at + 4, y: plot.bottom + 14, rotate: turnedAngle, anchor: "end" } as const;
      return [{ ...turned, text: words[0] ?? "" }];
    }
    return words.map((line, index) => ({
      ...text,
      x: within(at, textWidth(line, tickSize) / 2, width),
      y: plot.bottom + 8 + tickSize + index * 15 - 2,
      text: line,
      anchor: "middle",
    }));
  });
  // Small marks where distances matter, and where not every band has a text.
  const hasMarks = categoryAxis.kind !== "band" || categories.ticks.length < categoryAxis.rows.length;
  if (hasMarks && !categories.isTurned) {
    for (const { at } of categories.ticks) lines.push(`M${crisp(at)},${crisp(plot.bottom)}v4`);
  }
  const below = plot.bottom + 8 + categories.height + 14;
  return [
    { kind: "path", part: "axis", d: lines.join(""), stroke: theme.axis, strokeWidth: 1 },
    ...texts,
    ...(categoryAxis.label === undefined
      ? []
      : [
          {
            ...title,
            x: (plot.left + plot.right) / 2,
            y: below,
            text: fitText(categoryAxis.label, plot.right - plot.left, tickSize),
          },
        ]),
  ];
}

/** A text at the edge is moved, so that it is not cut. */
const within = (at: number, half: number, width: number): number =>
  Math.max(half, Math.min(width - half, at));

const isInside = ({ scale }: PlacedAxis, value: number): boolean =>
  value >= scale.domain[0] && value <= scale.domain[1];
