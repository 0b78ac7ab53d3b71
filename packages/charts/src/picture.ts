import type { Visualization } from "@querybell/domain";
import type { ChartRows } from "./chart-data.ts";
import { chartHeight, usualChartHeight } from "./chart-size.ts";
import { drawChart, prepareChart } from "./draw-chart.ts";
import { createFormats, type Reader } from "./formats.ts";
import { darkTheme, lightTheme, type SceneNode } from "./scene.ts";
import { toSvg } from "./to-svg.ts";
import { wrapText } from "./wrap-text.ts";

export interface PictureOptions extends Reader {
  title: string;
  width: number;
  /** Default: what a page gives to the chart. */
  height?: number | undefined;
  scheme: "light" | "dark";
}

const titleSize = 18;
const noteSize = 11;
const edge = 20;
/** Narrower pictures have the height of a chart on a phone. */
const narrowWidth = 576;

/** A chart as a file: its title, the chart, and notes about its data. Undefined for a table. */
export function drawPicture(
  visualization: Visualization,
  rows: ChartRows,
  options: PictureOptions,
): string | undefined {
  const { title, width, scheme } = options;
  const chart = prepareChart(visualization, rows);
  if (!chart) return undefined;
  const theme = scheme === "dark" ? darkTheme : lightTheme;
  const formats = createFormats(options);
  const wide = width - 2 * edge;
  const lines = wrapText(title, wide, titleSize, 2);
  const top = edge + lines.length * 24 + 8;
  const draw = (below: number) =>
    drawChart(chart, {
      width: wide,
      height:
        options.height === undefined
          ? chartHeight(visualization, rows, usualChartHeight[width < narrowWidth ? "narrow" : "wide"])
          : Math.max(80, options.height - top - below),
      theme,
      formats,
    });
  const first = draw(0);
  const notes = first.notes.flatMap((note) => wrapText(note, wide, noteSize, 3));
  // The chart has a margin of its own, so it needs no other edge below.
  const below = notes.length === 0 ? 0 : edge + notes.length * 16;
  const scene = notes.length === 0 || options.height === undefined ? first : draw(below);
  const titles: SceneNode[] = lines.map((text, index) => ({
    kind: "text",
    part: "title",
    x: edge,
    y: edge + 18 + index * 24,
    text,
    size: titleSize,
    fill: theme.text,
    anchor: "start",
    weight: 600,
  }));
  const height = options.height ?? top + scene.height + below;
  const remarks: SceneNode[] = notes.map((text, index) => ({
    kind: "text",
    part: "label",
    x: edge,
    y: height - edge + 4 - (notes.length - 1 - index) * 16,
    text,
    size: noteSize,
    fill: theme.dimmed,
    anchor: "start",
  }));
  const placed: SceneNode = { kind: "move", x: edge, y: top, nodes: scene.nodes };
  return toSvg(
    {
      ...scene,
      width,
      height,
      description: `${title}. ${scene.description}`,
      nodes: [...titles, placed, ...remarks],
    },
    theme.background,
  );
}
