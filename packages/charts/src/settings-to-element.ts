import type { ChartElement, LiteralValue } from "@querybell/domain/jsx-config";
import { type ChartSettings, hasRightAxis, isLying, markOf, type SeriesSettings } from "./chart-settings.ts";
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
      return cartesian(settings);
  }
}

const format = (value: ChartSettings["valueFormat"]) => (value === "auto" ? undefined : value);

const number = ({ series: [first], valueFormat, decimals, compareTo, over }: ChartSettings): ChartElement =>
  element("Number", {
    dataKey: first?.column,
    label: first?.label ?? undefined,
    format: format(valueFormat),
    decimals: decimals ?? undefined,
    compareTo: compareTo ?? undefined,
    over: over ?? undefined,
  });

const arrangement = ({ sort, top }: ChartSettings): Props => ({
  sort: sort === "none" ? undefined : sort,
  top: top ?? undefined,
});

const cells = ({ splitColors }: ChartSettings): ChartElement[] =>
  Object.entries(splitColors).map(([name, fill]) => element("Cell", { name, fill }));

const pie = (settings: ChartSettings): ChartElement => {
  const {
    category,
    series: [first],
    legend,
    labels,
    valueFormat,
  } = settings;
  const props = {
    dataKey: first?.column,
    nameKey: category ?? undefined,
    fill: first?.color ?? undefined,
    innerRadius: "55%",
    label: labels || undefined,
  };
  return element("PieChart", arrangement(settings), [
    element("Tooltip", { valueFormat: format(valueFormat) }),
    ...(legend ? [element("Legend")] : []),
    element("Pie", props, cells(settings)),
  ]);
};

function cartesian(settings: ChartSettings): ChartElement {
  const { category, series, stacking, grid, legend } = settings;
  const lies = isLying(settings);
  const kinds = new Set(series.map((one) => markOf(settings, one)));
  const [kind] = kinds;
  const root = kinds.size > 1 ? "ComposedChart" : roots[kind ?? markOf(settings, emptySeries)];
  const isStackable = kinds.has("bar") || kinds.has("area");
  const categoryAxis = element(lies ? "YAxis" : "XAxis", {
    dataKey: category ?? undefined,
    ...(lies && { type: "category", width: 140 }),
    ...(settings.type === "scatter" && { type: "number" }),
    format: format(settings.categoryFormat),
    label: settings.categoryLabel ?? undefined,
  });
  const valueAxis = element(lies ? "XAxis" : "YAxis", {
    ...(lies && { type: "number" }),
    scale: settings.logarithmic ? "log" : undefined,
    format: format(settings.valueFormat),
    label: settings.valueLabel ?? undefined,
    domain: domainOf(settings.minimum, settings.maximum),
  });
  const rightAxis = element("YAxis", {
    yAxisId: "right",
    orientation: "right",
    format: format(settings.rightFormat),
    label: settings.rightLabel ?? undefined,
    domain: domainOf(settings.rightMinimum, settings.rightMaximum),
  });
  const place = lies ? "x" : "y";
  return element(
    root,
    {
      ...(lies && { layout: "vertical" }),
      ...(isStackable && stacking === "percent" && { stackOffset: "expand" }),
      ...(settings.type !== "scatter" && arrangement(settings)),
      empty: settings.empty === "zero" ? "zero" : undefined,
    },
    [
      ...(grid
        ? [element("CartesianGrid", { strokeDasharray: "3 3", vertical: lies, horizontal: !lies })]
        : []),
      categoryAxis,
      valueAxis,
      ...(hasRightAxis(settings) ? [rightAxis] : []),
      element("Tooltip", {
        labelFormat: format(settings.categoryFormat),
        valueFormat: format(settings.valueFormat),
      }),
      ...(legend ? [element("Legend")] : []),
      ...series.map((one, index) => mark(settings, one, index)),
      ...(settings.goal === null
        ? []
        : [element("ReferenceLine", { [place]: settings.goal, label: settings.goalLabel ?? undefined })]),
      ...(settings.average ? [element("ReferenceLine", { [place]: "average" })] : []),
    ],
  );
}

const emptySeries: SeriesSettings = { column: "", label: null, color: null, mark: null, axis: "left" };

function mark(settings: ChartSettings, series: SeriesSettings, index: number): ChartElement {
  const { column, label, color, axis } = series;
  const kind = markOf(settings, series);
  const splitBy = settings.series.length === 1 ? (settings.splitBy ?? undefined) : undefined;
  // The series of a split have their names from the column and their colours from the palette.
  const fill = splitBy === undefined ? (color ?? colorAt(index)) : undefined;
  const stackId = settings.stacking === "none" ? undefined : "all";
  const common: Props = {
    dataKey: column,
    splitBy,
    name: splitBy === undefined ? (label ?? undefined) : undefined,
    yAxisId: axis === "right" && hasRightAxis(settings) ? "right" : undefined,
  };
  const curve = settings.smooth && !isLying(settings) ? "monotone" : undefined;
  const connectNulls = settings.empty === "connect" ? true : undefined;
  const children = [
    ...(splitBy === undefined ? [] : cells(settings)),
    ...(settings.labels ? [element("LabelList")] : []),
  ];
  switch (kind) {
    case "line":
      return element(
        "Line",
        { ...common, stroke: fill, strokeWidth: 2, type: curve, dot: settings.dots, connectNulls },
        children,
      );
    case "area":
      return element(
        "Area",
        { ...common, stroke: fill, fill, fillOpacity: 0.25, type: curve, stackId, connectNulls },
        children,
      );
    case "bar":
      return element("Bar", { ...common, fill, stackId }, children);
    case "scatter":
      return element("Scatter", { ...common, fill }, children);
  }
}

const domainOf = (minimum: number | null, maximum: number | null): LiteralValue | undefined =>
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
