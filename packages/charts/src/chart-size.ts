import type { Visualization } from "@querybell/domain";
import { type ChartRows, columnOf, maxChartRows } from "./chart-data.ts";

/** A horizontal bar and the space to the next, with room for its name. */
const barHeight = 22;
/** Above and below the bars: the margins and the axis. */
const frameHeight = 80;
const maxHeight = 1000;

/** Of a chart on its page and in its picture: the same, so that both have the same ticks. */
export const usualChartHeight = { wide: 400, narrow: 280 };

/** Of the picture of a dashboard: its grid and an edge on both sides. */
export const dashboardPictureWidth = 1248;

/** What a page gives to a chart: more for many horizontal bars, so that each can have its name. */
export function chartHeight(
  { jsxConfig }: Visualization,
  rows: Pick<ChartRows, "fields" | "rows">,
  usual: number,
): number {
  // Read without the parser, which is loaded with the charts: the page keeps this space free until they are there.
  const isHorizontal = /^\s*<BarChart\b[^>]*\blayout="vertical"/.test(jsxConfig);
  if (!isHorizontal) return usual;
  return Math.max(usual, Math.min(maxHeight, frameHeight + countBars(jsxConfig, rows) * barHeight));
}

/** As many as there are rows, or different values of the axis in a split chart. */
function countBars(jsxConfig: string, rows: Pick<ChartRows, "fields" | "rows">): number {
  const [, category] = /\bsplitBy\b/.test(jsxConfig)
    ? (/<YAxis\b[^>]*?\bdataKey="([^"]*)"/.exec(jsxConfig) ?? [])
    : [];
  const values = columnOf(rows, category);
  return values ? new Set(values).size : Math.min(rows.rows.length, maxChartRows);
}

type Margins = Visualization["marginConfig"];

/** The largest margin that the form takes. Others may be stored: the api takes more. */
export const maxMargin = 200;

/** Scales down margins that would take more than half of the width or of the height. */
export function fitMargins(margins: Margins, { width, height }: { width: number; height: number }): Margins {
  const across = share(margins.left + margins.right, width);
  const down = share(margins.top + margins.bottom, height);
  return {
    top: margins.top * down,
    right: margins.right * across,
    bottom: margins.bottom * down,
    left: margins.left * across,
  };
}

/** The factor for both margins of a direction. */
const share = (wanted: number, size: number) => (wanted > size / 2 ? size / 2 / wanted : 1);
