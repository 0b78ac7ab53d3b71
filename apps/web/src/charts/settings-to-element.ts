import type { ChartElement, LiteralValue } from "@querybell/domain/jsx-config";
import type { ChartSettings, SeriesSettings } from "./chart-settings.ts";
import { colorAt } from "./palette.ts";

type Props = Record<string, LiteralValue | undefined>;

const element = (name: string, props: Props = {}, children: ChartElement[] = []): ChartElement => ({
  name,
  props: Object.fromEntries(
    Object.entries(props).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  ),
  children,
});

const roots = { line: "LineChart", bar: "BarChart", area: "AreaChart", scatter: "ScatterChart" } as const;
const marks = { line: "Line", bar: "Bar", area: "Area", scatter: "Scatter" } as const;

/** Converts the builder's settings to an element. Null for a table, which has no element. */
export function settingsToElement(settings: ChartSettings): ChartElement | null {
  switch (settings.type) {
    case "table":
      return null;
    case "number":
      return number(settings);
    case "pie":
      return pie(settings);
    default:
      return cartesian(settings, settings.type);
  }
}

const format = (value: ChartSettings["valueFormat"]) => (value === "auto" ? undefined : value);

const number = ({ series: [first], valueFormat, decimals, compareTo }: ChartSettings): ChartElement =>
  element("Number", {
    dataKey: first?.column,
    label: first?.label ?? undefined,
    format: format(valueFormat),
    decimals: decimals ?? undefined,
    compareTo: compareTo ?? undefined,
  });

const pie = ({ category, series: [first], legend, labels, valueFormat }: ChartSettings): ChartElement =>
  element("PieChart", {}, [
    element("Tooltip", { valueFormat: format(valueFormat) }),
    ...(legend ? [element("Legend")] : []),
    element("Pie", {
      dataKey: first?.column,
      nameKey: category ?? undefined,
      fill: first?.color ?? undefined,
      innerRadius: "55%",
      label: labels || undefined,
    }),
  ]);

function cartesian(settings: ChartSettings, type: keyof typeof roots): ChartElement {
  const { category, series, stacking, horizontal, grid, legend } = settings;
  const isHorizontal = type === "bar" && horizontal;
  const isStackable = type === "bar" || type === "area";
  const categoryAxis = element(isHorizontal ? "YAxis" : "XAxis", {
    dataKey: category ?? undefined,
    ...(isHorizontal && { type: "category", width: 140 }),
    ...(type === "scatter" && { type: "number" }),
    format: format(settings.categoryFormat),
    label: settings.categoryLabel ?? undefined,
  });
  const valueAxis = element(isHorizontal ? "XAxis" : "YAxis", {
    ...(isHorizontal && { type: "number" }),
    format: format(settings.valueFormat),
    label: settings.valueLabel ?? undefined,
    domain: domainOf(settings),
  });
  return element(
    roots[type],
    {
      ...(isHorizontal && { layout: "vertical" }),
      ...(isStackable && stacking === "percent" && { stackOffset: "expand" }),
    },
    [
      ...(grid
        ? [
            element("CartesianGrid", {
              strokeDasharray: "3 3",
              vertical: isHorizontal,
              horizontal: !isHorizontal,
            }),
          ]
        : []),
      categoryAxis,
      valueAxis,
      element("Tooltip", {
        labelFormat: format(settings.categoryFormat),
        valueFormat: format(settings.valueFormat),
      }),
      ...(legend ? [element("Legend")] : []),
      ...series.map((one, index) => mark(settings, type, { ...one, index })),
    ],
  );
}

function mark(
  { smooth, dots, stacking, ...settings }: ChartSettings,
  type: keyof typeof marks,
  { column, label, color, index }: SeriesSettings & { index: number },
): ChartElement {
  const splitBy = settings.series.length === 1 ? (settings.splitBy ?? undefined) : undefined;
  // The series of a split have their names from the column and their colours from the palette.
  const fill = splitBy === undefined ? (color ?? colorAt(index)) : undefined;
  const stackId = stacking === "none" ? undefined : "all";
  const name = splitBy === undefined ? (label ?? undefined) : undefined;
  const common: Props = { dataKey: column, splitBy, name };
  const curve = smooth ? "monotone" : undefined;
  switch (type) {
    case "line":
      return element("Line", { ...common, stroke: fill, strokeWidth: 2, type: curve, dot: dots });
    case "area":
      return element("Area", { ...common, stroke: fill, fill, fillOpacity: 0.25, type: curve, stackId });
    case "bar":
      return element("Bar", { ...common, fill, stackId });
    case "scatter":
      return element("Scatter", { ...common, fill });
  }
}

const domainOf = ({ minimum, maximum }: ChartSettings): LiteralValue | undefined =>
  minimum === null && maximum === null ? undefined : [minimum ?? "auto", maximum ?? "auto"];

/** Writes an element as the text that is stored. `parseJsxConfig` parses it to the same element. */
export function writeJsxConfig({ name, props, children }: ChartElement, indent = ""): string {
  const open = [name, ...Object.entries(props).map(([prop, value]) => writeProp(prop, value))].join(" ");
  if (children.length === 0) return `${indent}<${open} />`;
  const inside = children.map((child) => writeJsxConfig(child, `${indent}  `));
  return [`${indent}<${open}>`, ...inside, `${indent}</${name}>`].join("\n");
}

function writeProp(name: string, value: LiteralValue): string {
  if (value === true) return name;
  // A quoted prop has no escapes except entities, so only simple text is quoted; other text is a literal in braces.
  if (typeof value === "string" && /^[^"&\\\r\n]*$/.test(value)) return `${name}="${value}"`;
  return `${name}={${writeLiteral(value)}}`;
}

function writeLiteral(value: LiteralValue): string {
  if (Array.isArray(value)) return `[${value.map(writeLiteral).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(
      ([key, item]) => `${JSON.stringify(key)}: ${writeLiteral(item)}`,
    );
    return `{ ${entries.join(", ")} }`;
  }
  // JSON.stringify writes -0 as 0.
  return Object.is(value, -0) ? "-0" : JSON.stringify(value);
}
