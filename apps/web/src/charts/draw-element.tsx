import type { ChartElement, LiteralValue } from "@querybell/domain/jsx-config";
import { type ComponentType, createElement, type ReactNode } from "react";
import {
  Area,
  AreaChart,
  Bar,
  BarChart,
  CartesianGrid,
  Cell,
  ComposedChart,
  Label,
  LabelList,
  Legend,
  Line,
  LineChart,
  Pie,
  PieChart,
  ReferenceArea,
  ReferenceLine,
  Scatter,
  ScatterChart,
  Tooltip,
  XAxis,
  YAxis,
  ZAxis,
} from "recharts";
import { formatTick, formatValue, isValueFormat, type ValueFormat } from "../results/value-formats.ts";
import type { ChartRow } from "./chart-data.ts";
import { barShape, loneDot } from "./chart-shapes.tsx";
import { nameInterval } from "./chart-size.ts";
import { colorAt } from "./palette.ts";
import { isSplitKey } from "./split-marks.ts";

type Props = Record<string, unknown>;

// Recharts' components have many different props. The parser's allow-list limits which can occur here.
const components = {
  AreaChart,
  BarChart,
  ComposedChart,
  LineChart,
  PieChart,
  ScatterChart,
  Area,
  Bar,
  Line,
  Pie,
  Scatter,
  CartesianGrid,
  Cell,
  Label,
  LabelList,
  Legend,
  ReferenceArea,
  ReferenceLine,
  Tooltip,
  XAxis,
  YAxis,
  ZAxis,
} as unknown as Readonly<Record<string, ComponentType<Props>>>;

interface Drawing {
  data: readonly ChartRow[];
  margin: { top: number; right: number; bottom: number; left: number };
  width: number;
  height: number;
}

/** Draws a chart's root element with Recharts. Every prop is a literal that the parser has let through. */
export function drawRoot(element: ChartElement, { data, ...size }: Drawing): ReactNode {
  const marks = element.children.filter(({ name }) => ["Line", "Bar", "Area", "Scatter"].includes(name));
  const Root = components[element.name];
  if (!Root) return null;
  return createElement(
    Root,
    { ...element.props, ...size, data, accessibilityLayer: true },
    ...element.children.map((child, index) =>
      drawChild(child, {
        key: String(index),
        root: element.name,
        data,
        height: size.height,
        color: colorAt(Math.max(0, marks.indexOf(child))),
      }),
    ),
  );
}

interface Place {
  key: string;
  /** The name of the root element. */
  root: string;
  data: readonly ChartRow[];
  /** Of the whole chart. */
  height: number;
  color: string;
}

function drawChild(element: ChartElement, place: Place): ReactNode {
  const Component = components[element.name];
  if (!Component) return null;
  const { format, labelFormat, valueFormat, dataKey, splitBy: _, ...rest } = element.props;
  const props: Props = {
    ...defaultsOf(element, place),
    ...keyProps(element.name, dataKey),
    ...rest,
    ...(isSplitKey(dataKey) && splitProps(element, dataKey, place)),
    ...formatProps({ format, labelFormat, valueFormat }, element.name),
    ...(isNameAxis(element) && { tickFormatter: nameFormatter(format, rest.width) }),
    ...(typeof rest.label === "string" && axisLabel(element.name, rest.label)),
    ...(rest.stackId === undefined && isMark(element.name) && { stackId: undefined }),
    key: place.key,
  };
  return createElement(
    Component,
    props,
    ...(element.name === "Pie" && element.children.length === 0 ? pieCells(element, place) : []),
    ...element.children.map((child, index) => drawChild(child, { ...place, key: String(index) })),
  );
}

const isNameAxis = ({ name, props }: ChartElement) => name === "YAxis" && props.type === "category";

/** About the width of a letter beside an axis. */
const letterWidth = 7;
const maxNameLetters = 40;

/** Names beside bars stay in one line, also where a width is given: Recharts would break them, and two lines do not fit. */
const nameFormatter =
  (format: LiteralValue | undefined, width: LiteralValue | undefined) => (value: unknown) => {
    const name = formatValue(value, isValueFormat(format) ? format : "auto");
    const room = typeof width === "number" ? Math.floor(width / letterWidth) : maxNameLetters;
    return (name.length > room ? `${name.slice(0, room - 1)}…` : name).replaceAll(" ", "\u00a0");
  };

const isMark = (name: string) => ["Line", "Bar", "Area", "Scatter", "Pie"].includes(name);

/**
 * Reads a column by a function: Recharts would take a name with dots for a path. A function has no display name, so the
 * column's name is passed too.
 */
function keyProps(element: string, dataKey: LiteralValue | undefined): Props {
  if (typeof dataKey !== "string") return {};
  const read = (row: ChartRow) => row[dataKey];
  return isMark(element) && element !== "Pie" ? { dataKey: read, name: dataKey } : { dataKey: read };
}

function splitProps({ name, props }: ChartElement, key: string, { root, data }: Place): Props {
  if (name === "Line" || name === "Area") return props.dot ? {} : { dot: loneDot };
  // Each series of a scatter chart has its own points; on an axis of categories all series have the same rows.
  return root === "ScatterChart" ? { data: data.filter((row) => Object.hasOwn(row, key)) } : {};
}

function defaultsOf({ name, props }: ChartElement, { color, data, height }: Place): Props {
  switch (name) {
    case "Line":
      return { isAnimationActive: false, stroke: color, strokeWidth: 2 };
    case "Area":
      return { isAnimationActive: false, stroke: color, fill: color, fillOpacity: 0.25 };
    case "Bar":
      return {
        isAnimationActive: false,
        fill: color,
        ...(props.radius === undefined && { shape: barShape }),
      };
    case "Scatter":
      return { isAnimationActive: false, fill: color };
    case "Pie":
      return {
        isAnimationActive: false,
        ...(typeof props.nameKey === "string" && { nameKey: props.nameKey }),
      };
    case "XAxis":
      return { tick: tickStyle, stroke: "var(--qb-edge)", tickLine: false, minTickGap: 16 };
    case "YAxis":
      return {
        tick: tickStyle,
        stroke: "var(--qb-edge)",
        tickLine: false,
        axisLine: false,
        width: "auto",
        ...(props.type === "category" && { interval: nameInterval(data.length, height) }),
      };
    case "CartesianGrid":
      return { stroke: "var(--qb-line)" };
    case "Tooltip":
      return {
        isAnimationActive: false,
        contentStyle: tooltipStyle,
        itemStyle: { paddingTop: 1, paddingBottom: 1 },
        // In the order of the chart.
        itemSorter: null,
        // Above the legend.
        wrapperStyle: { zIndex: 1 },
        cursor: { fill: "var(--qb-quiet)", stroke: "var(--qb-edge)" },
      };
    case "Legend":
      return {
        wrapperStyle: { fontSize: 13 },
        itemSorter: null,
        formatter: legendText,
        iconType: "circle",
        iconSize: 8,
      };
    default:
      return {};
  }
}

const tickStyle = { fill: "var(--mantine-color-dimmed)", fontSize: 12 };
const tooltipStyle = {
  background: "var(--qb-card)",
  border: "1px solid var(--qb-line)",
  borderRadius: 8,
  fontSize: 13,
  color: "var(--mantine-color-text)",
};

// Names have the text colour: a light series colour would be hard to read.
const legendText = (name: unknown) => createElement("span", { className: "qb-legend" }, String(name));

interface Formats {
  format: LiteralValue | undefined;
  labelFormat: LiteralValue | undefined;
  valueFormat: LiteralValue | undefined;
}

function formatProps({ format, labelFormat, valueFormat }: Formats, name: string): Props {
  const write = (chosen: LiteralValue | undefined, fallback: ValueFormat) => (value: unknown) =>
    formatValue(value, isValueFormat(chosen) ? chosen : fallback);
  switch (name) {
    case "XAxis":
      return { tickFormatter: write(format, "auto") };
    case "YAxis":
      return {
        tickFormatter: isValueFormat(format) && format !== "compact" ? write(format, format) : formatTick,
      };
    case "Tooltip":
      return { labelFormatter: write(labelFormat, "auto"), formatter: write(valueFormat, "number") };
    case "LabelList":
      return { formatter: write(format, "compact") };
    default:
      return {};
  }
}

function axisLabel(name: string, text: string): Props {
  const style = { fill: "var(--mantine-color-dimmed)", fontSize: 12 };
  if (name === "XAxis") return { label: { value: text, position: "insideBottom", offset: -8, ...style } };
  if (name === "YAxis")
    return { label: { value: text, angle: -90, position: "insideLeft", textAnchor: "middle", ...style } };
  return {};
}

/** Slices in the colours of the palette, one after the other. */
const pieCells = ({ props }: ChartElement, { data }: Place): ReactNode[] =>
  typeof props.fill === "string"
    ? []
    : data.map((_, index) => createElement(Cell, { key: `cell-${index}`, fill: colorAt(index) }));
