import { AppError, type Visualization } from "@querybell/domain";
import { gridColumns, type TilePlace } from "@querybell/domain/dashboard-grid";
import type { ChartRows } from "./chart-data.ts";
import { dashboardPictureWidth } from "./chart-size.ts";
import { drawChart, prepareChart } from "./draw-chart.ts";
import { createFormats, type Reader } from "./formats.ts";
import { markdownNodes } from "./markdown-picture.ts";
import { noteLines, noteNodes, notesHeight, textNode } from "./picture-texts.ts";
import { type ChartTheme, darkTheme, lightTheme, type SceneNode } from "./scene.ts";
import { tableNodes } from "./table-picture.ts";
import { fitText } from "./text-width.ts";
import { toSvg } from "./to-svg.ts";
import { wrapText } from "./wrap-text.ts";

/** What a tile shows in the picture of its dashboard. */
export type PictureTile = TilePlace &
  (
    | { kind: "text"; text: string }
    | { kind: "empty"; title: string | null; reason: string }
    | {
        kind: "chart";
        title: string;
        /** Null: its rows as a table. */
        visualization: Visualization | null;
        notes: readonly string[];
        /** Called when the tile is drawn, so that one result after the other is in memory. */
        read: () => ChartRows;
      }
  );

export interface DashboardPicture extends Reader {
  title: string;
  /** The moment that its tiles show, in words. */
  moment: string;
  tabs: readonly { title: string; tiles: readonly PictureTile[] }[];
  scheme: "light" | "dark";
  /** The picture ends there, and says how many tiles it leaves out. */
  maxHeight: number;
  /** Whether it has exactly this height instead, and tiles end at its edge. */
  isCropped: boolean;
}

// As the page of a dashboard: see dashboard.module.css of the web app.
const gap = 16;
const rowHeight = 40;
const edge = 24;
const gridWidth = dashboardPictureWidth - 2 * edge;
const tabHeight = 44;
const footHeight = 28;

/** Behind the tiles, as in colors.css of the web app. */
const pageColors = { light: "#f8f6f1", dark: "#12141c" };

interface Box {
  width: number;
  height: number;
}

interface Drawing {
  theme: ChartTheme;
  reader: Reader;
}

/** A whole dashboard as an SVG: its title, the moment that it shows, and the tiles of its tabs, one tab below the other. */
export function drawDashboardPicture({
  title,
  moment,
  tabs,
  scheme,
  maxHeight,
  isCropped,
  ...reader
}: DashboardPicture): string {
  const theme = scheme === "dark" ? darkTheme : lightTheme;
  const drawing = { theme, reader };
  const nodes: SceneNode[] = heading(title, moment, theme);
  let top = edge + (moment === "" ? 44 : 64);
  let leftOut = 0;
  for (const { title: tabTitle, tiles } of tabs) {
    const start = top + (tabs.length > 1 ? tabHeight : 0);
    const placed = tiles.map((tile) => ({ tile, ...boxOf(tile) }));
    const shown = placed.filter(
      ({ y, height }) => start + y + (isCropped ? 0 : height + edge + footHeight) <= maxHeight,
    );
    if (!isCropped) leftOut += placed.length - shown.length;
    if (shown.length === 0) continue;
    if (tabs.length > 1) {
      nodes.push(textNode(fitText(tabTitle, gridWidth, 18, 600), { ...inPage(top + 26), size: 18, theme }));
    }
    for (const { tile, x, y, ...box } of shown) {
      nodes.push({ kind: "move", x: edge + x, y: start + y, nodes: drawTile(tile, box, drawing) });
    }
    top = start + Math.max(...shown.map(({ y, height }) => y + height)) + gap;
  }
  const whole = Math.min(maxHeight, top + edge - gap + (leftOut > 0 ? footHeight : 0));
  const height = isCropped ? maxHeight : whole;
  if (leftOut > 0) {
    const sentence = `${leftOut} more ${leftOut === 1 ? "tile does" : "tiles do"} not fit into this picture.`;
    nodes.push(textNode(sentence, { x: edge, y: height - edge + 4, size: 13, theme, isDimmed: true }));
  }
  const description = moment === "" ? title : `${title}. ${moment}`;
  return toSvg({ width: dashboardPictureWidth, height, nodes, description }, pageColors[scheme]);
}

const inPage = (y: number) => ({ x: edge, y });

function heading(title: string, moment: string, theme: ChartTheme): SceneNode[] {
  return [
    textNode(fitText(title, gridWidth, 26, 600), { ...inPage(edge + 24), size: 26, theme }),
    ...(moment === ""
      ? []
      : [
          textNode(fitText(moment, gridWidth, 14), {
            ...inPage(edge + 48),
            size: 14,
            theme,
            isDimmed: true,
          }),
        ]),
  ];
}

function boxOf({ x, y, w, h }: TilePlace) {
  const column = (gridWidth + gap) / gridColumns;
  return {
    x: x * column,
    y: y * (rowHeight + gap),
    width: w * column - gap,
    height: h * (rowHeight + gap) - gap,
  };
}

const padding = 16;
const titleHeight = 40;

function drawTile(tile: PictureTile, box: Box, drawing: Drawing): SceneNode[] {
  const { theme } = drawing;
  const room = box.width - 2 * padding;
  if (tile.kind === "text") {
    const nodes = markdownNodes(tile.text, { width: box.width, height: box.height, theme });
    return [{ kind: "clip", x: 0, y: 0, ...box, nodes }];
  }
  const frame: SceneNode = {
    kind: "path",
    part: "grid",
    d: `M0 0H${box.width}V${box.height}H0Z`,
    fill: theme.background,
    stroke: theme.grid,
    strokeWidth: 1,
  };
  const title: SceneNode[] =
    tile.title === null
      ? []
      : [textNode(fitText(tile.title, room, 15, 600), { x: padding, y: 26, size: 15, theme })];
  const body = { width: room, height: Math.max(20, box.height - titleHeight - padding / 2) };
  const inner =
    tile.kind === "empty" ? sentence(tile.reason, body, theme) : drawChartTile(tile, body, drawing);
  const nodes: SceneNode[] = [frame, ...title, { kind: "move", x: padding, y: titleHeight, nodes: inner }];
  return [{ kind: "clip", x: 0, y: 0, ...box, nodes }];
}

const sentence = (text: string, { width }: Box, theme: ChartTheme): SceneNode[] =>
  wrapText(text, width, 13, 4).map((line, at) =>
    textNode(line, { x: 0, y: 16 + at * 18, size: 13, theme, isDimmed: true }),
  );

function drawChartTile(
  tile: Extract<PictureTile, { kind: "chart" }>,
  box: Box,
  { theme, reader }: Drawing,
): SceneNode[] {
  const { visualization, read, notes } = tile;
  try {
    const rows = read();
    const chart = visualization ? prepareChart(visualization, rows) : undefined;
    if (!chart) return tableNodes(rows, { visualization, box, theme, reader, notes });
    const formats = createFormats(reader);
    const draw = (height: number) => drawChart(chart, { width: box.width, height, theme, formats });
    const first = draw(box.height);
    const lines = noteLines([...notes, ...first.notes], box.width);
    const scene = lines.length === 0 ? first : draw(Math.max(60, box.height - notesHeight(lines)));
    return [...scene.nodes, ...noteNodes(lines, box, theme)];
  } catch (error) {
    if (error instanceof AppError) return sentence(error.message, box, theme);
    throw error;
  }
}
