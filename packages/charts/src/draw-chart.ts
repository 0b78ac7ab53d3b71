import type { Visualization } from "@querybell/domain";
import { type ChartElement, parseJsxConfig } from "@querybell/domain/jsx-config";
import { drawCartesian } from "./cartesian/draw-cartesian.ts";
import type { ChartRows } from "./chart-data.ts";
import type { ChartInput } from "./chart-input.ts";
import { fitMargins } from "./chart-size.ts";
import type { Formats } from "./formats.ts";
import { drawNumber } from "./number-figure.ts";
import { drawPie } from "./pie.ts";
import type { ChartTheme, Scene, SceneNode, ScenePoint } from "./scene.ts";
import { settingsToElement } from "./settings-to-element.ts";
import { splitMarks } from "./split-marks.ts";
import { defaultSettings } from "./suggest-settings.ts";

export interface PreparedChart extends Pick<ChartInput, "element" | "data" | "fields" | "notes"> {
  margins: Visualization["marginConfig"];
  isSmall: boolean;
}

interface PrepareOptions {
  /** For a card: without axes, titles, legend and grid. */
  isSmall?: boolean;
}

/**
 * Reads a visualization and computes what it draws, independent of its size. Undefined for a table. Throws `AppError`
 * if its text has an error.
 */
export function prepareChart(
  { type, jsxConfig, marginConfig }: Visualization,
  rows: ChartRows,
  { isSmall = false }: PrepareOptions = {},
): PreparedChart | undefined {
  const read = parseJsxConfig(jsxConfig) ?? settingsToElement(defaultSettings(type, rows));
  if (!read || read.name === "Table") return undefined;
  const { element, data, notes } = splitMarks(isSmall ? withoutFrame(read) : read, rows);
  return { element, data, fields: rows.fields, notes, margins: marginConfig, isSmall };
}

interface Drawing {
  width: number;
  height: number;
  theme: ChartTheme;
  formats: Formats;
}

/** Below this width, margins chosen for a wide screen would leave too little space. */
const narrow = 480;

/** Lays a chart out in a rectangle. */
export function drawChart({ margins, isSmall, ...chart }: PreparedChart, drawing: Drawing): Scene {
  const { width } = drawing;
  const capped = { ...margins, left: Math.min(8, margins.left), right: Math.min(12, margins.right) };
  const wanted = width < narrow ? capped : margins;
  const input: ChartInput = {
    ...chart,
    ...drawing,
    margins: isSmall ? { top: 4, right: 4, bottom: 4, left: 4 } : fitMargins(wanted, drawing),
  };
  return inScheme(draw(input), drawing.theme);
}

function draw(input: ChartInput): Scene {
  switch (input.element.name) {
    case "Number":
      return drawNumber(input);
    case "PieChart":
      return drawPie(input);
    default:
      return drawCartesian(input);
  }
}

/** The colours of the marks, as they are in light or dark. */
function inScheme(scene: Scene, { mark }: ChartTheme): Scene {
  const recolor = (color: string | undefined) => (color === undefined ? undefined : mark(color));
  const recolorNode = (node: SceneNode): SceneNode => {
    switch (node.kind) {
      case "text":
        return node;
      case "move":
      case "clip":
        return { ...node, nodes: node.nodes.map(recolorNode) };
      default:
        return { ...node, fill: recolor(node.fill), stroke: recolor(node.stroke) };
    }
  };
  const recolorPoint = (point: ScenePoint): ScenePoint => ({
    ...point,
    rows: point.rows.map((row) => ({ ...row, color: recolor(row.color) })),
    dots: point.dots.map((dot) => ({ ...dot, color: mark(dot.color) })),
  });
  return {
    ...scene,
    nodes: scene.nodes.map(recolorNode),
    point(index) {
      const point = scene.point(index);
      return point && recolorPoint(point);
    },
  };
}

const frame = ["Legend", "CartesianGrid", "Label", "LabelList", "Tooltip", "XAxis", "YAxis"];

/** Reduces a chart to its shape. */
function withoutFrame(element: ChartElement): ChartElement {
  if (element.name === "Number") return element;
  const axes = element.children.filter(({ name }) => name === "XAxis" || name === "YAxis");
  const missing = ["XAxis", "YAxis"].filter((name) => !axes.some((axis) => axis.name === name));
  const isPie = element.name === "PieChart";
  return {
    ...element,
    children: [
      ...axes.map((axis) => ({ ...axis, props: { ...axis.props, hide: true }, children: [] })),
      ...(isPie ? [] : missing.map((name) => ({ name, props: { hide: true }, children: [] }))),
      ...element.children.filter(({ name }) => !frame.includes(name)).map(withoutLabels),
    ],
  };
}

/** The hole of a pie is scaled with it. */
function withoutLabels(mark: ChartElement): ChartElement {
  const { label: _, ...rest } = mark.props;
  const hole = mark.name === "Pie" && rest.innerRadius !== undefined ? { innerRadius: "55%" } : {};
  return {
    ...mark,
    props: { ...rest, ...hole },
    children: mark.children.filter(({ name }) => name !== "LabelList"),
  };
}
