import type { ChartElement, LiteralValue } from "@querybell/domain/jsx-config";
import { isValueFormat, type ValueFormat } from "../results/value-formats.ts";
import { type ChartSettings, type ChartType, plainSettings, type SeriesSettings } from "./chart-settings.ts";
import { colorAt } from "./palette.ts";
import { settingsToElement } from "./settings-to-element.ts";

interface ReadSettings {
  settings: ChartSettings;
  /** Whether the settings express the whole element. If not, the builder would drop the rest. */
  isComplete: boolean;
}

/** Reads the builder's settings from a visualization, which may have been written by hand. */
export function elementToSettings(type: ChartType, element: ChartElement | null): ReadSettings {
  const settings = element ? readRoot(type, element) : { ...plainSettings, type };
  return { settings, isComplete: canonical(settingsToElement(settings)) === canonical(element) };
}

/** Independent of the order of properties, and of the elements whose order makes no difference. */
const canonical = (element: ChartElement | null): string =>
  JSON.stringify(element && { ...element, children: inFixedOrder(element.children) }, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );

const unordered = ["XAxis", "YAxis", "Tooltip", "Legend"];

/** The order of grid and series decides which is drawn on top. The order of other elements has no effect. */
const inFixedOrder = (children: readonly ChartElement[]): ChartElement[] => [
  ...children.filter(({ name }) => !unordered.includes(name)),
  ...unordered.flatMap((wanted) => children.filter(({ name }) => name === wanted)),
];

function readRoot(type: ChartType, root: ChartElement): ChartSettings {
  if (root.name === "Number") return readNumber(root);
  if (root.name === "PieChart") return readPie(root);
  const kinds: Record<string, "line" | "bar" | "area" | "scatter"> = {
    LineChart: "line",
    BarChart: "bar",
    AreaChart: "area",
    ScatterChart: "scatter",
  };
  const kind = kinds[root.name];
  return kind ? readCartesian(kind, root) : { ...plainSettings, type };
}

const text = (value: LiteralValue | undefined): string | null => (typeof value === "string" ? value : null);

const format = (value: LiteralValue | undefined): ValueFormat => (isValueFormat(value) ? value : "auto");

const child = (root: ChartElement, name: string) => root.children.find((one) => one.name === name);

const readNumber = ({ props }: ChartElement): ChartSettings => ({
  ...plainSettings,
  type: "number",
  series: [{ column: text(props.dataKey) ?? "", label: text(props.label), color: null }],
  valueFormat: format(props.format),
  decimals: typeof props.decimals === "number" ? props.decimals : null,
  compareTo: text(props.compareTo),
});

function readPie(root: ChartElement): ChartSettings {
  const props = child(root, "Pie")?.props ?? {};
  return {
    ...plainSettings,
    type: "pie",
    category: text(props.nameKey),
    series: [{ column: text(props.dataKey) ?? "", label: null, color: text(props.fill) }],
    legend: child(root, "Legend") !== undefined,
    labels: props.label === true,
    valueFormat: format(child(root, "Tooltip")?.props.valueFormat),
  };
}

function readCartesian(type: "line" | "bar" | "area" | "scatter", root: ChartElement): ChartSettings {
  const horizontal = root.props.layout === "vertical";
  const categoryAxis = child(root, horizontal ? "YAxis" : "XAxis")?.props ?? {};
  const valueAxis = child(root, horizontal ? "XAxis" : "YAxis")?.props ?? {};
  const marks = root.children.filter(({ name }) => ["Line", "Bar", "Area", "Scatter"].includes(name));
  const [minimum, maximum] = readDomain(valueAxis.domain);
  const isStacked = marks.some(({ props }) => props.stackId !== undefined);
  return {
    ...plainSettings,
    type,
    category: text(categoryAxis.dataKey),
    series: marks.map(readSeries),
    splitBy: marks.length === 1 ? text(marks[0]?.props.splitBy) : null,
    stacking: root.props.stackOffset === "expand" ? "percent" : isStacked ? "stacked" : "none",
    horizontal,
    smooth: marks.some(({ props }) => props.type === "monotone"),
    dots: type === "line" && marks.length > 0 && marks.every(({ props }) => props.dot !== false),
    grid: child(root, "CartesianGrid") !== undefined,
    legend: child(root, "Legend") !== undefined,
    categoryFormat: format(categoryAxis.format),
    valueFormat: format(valueAxis.format),
    categoryLabel: text(categoryAxis.label),
    valueLabel: text(valueAxis.label),
    minimum,
    maximum,
  };
}

function readSeries({ name, props }: ChartElement, index: number): SeriesSettings {
  const color = text(name === "Line" ? props.stroke : (props.fill ?? props.stroke));
  return {
    column: text(props.dataKey) ?? "",
    label: text(props.name),
    color: color === colorAt(index) ? null : color,
  };
}

function readDomain(value: LiteralValue | undefined): [number | null, number | null] {
  const [from, to] = Array.isArray(value) ? value : [];
  return [typeof from === "number" ? from : null, typeof to === "number" ? to : null];
}
