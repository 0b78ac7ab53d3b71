import type { Visualization } from "@querybell/domain";
import { type ChartElement, parseJsxConfig } from "@querybell/domain/jsx-config";
import { drawCartesian } from "./cartesian/draw-cartesian.ts";
import type { ChartRows } from "./chart-data.ts";
import type { ChartInput } from "./chart-input.ts";
import { fitMargins } from "./chart-size.ts";
import type { Formats } from "./formats.ts";
import { drawNumber } from "./number-figure.ts";
import { drawPie } from "./pie.ts";
import type { ChartTheme, Scene } from "./scene.ts";
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
  switch (chart.element.name) {
    case "Number":
      return drawNumber(input);
    case "PieChart":
      return drawPie(input);
    default:
      return drawCartesian(input);
  }
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
