import type { ChartElement, LiteralValue } from "@querybell/domain/jsx-config";
import { type SortOrder, sortOrders } from "./arrange.ts";
import {
  type ChartSettings,
  type ChartType,
  isMarkType,
  type MarkType,
  plainSettings,
  type SeriesSettings,
} from "./chart-settings.ts";
import { isValueFormat, type ValueFormat } from "./formats.ts";
import { colorAt } from "./palette.ts";
import { settingsToElement } from "./settings-to-element.ts";
import { readTable, writeTable } from "./table-settings.ts";

interface ReadSettings {
  settings: ChartSettings;
  /** Whether the settings express the whole element. If not, the builder would drop the rest. */
  isComplete: boolean;
}

/** Reads the builder's settings from a visualization, which may have been written by hand. */
export function elementToSettings(type: ChartType, element: ChartElement | null): ReadSettings {
  const settings = element ? readRoot(type, element) : { ...plainSettings, type };
  if (element?.name === "Table")
    return { settings, isComplete: canonical(writeTable(readTable(element))) === canonical(element) };
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

const kinds: Record<string, MarkType | "scatter"> = {
  Line: "line",
  Bar: "bar",
  Area: "area",
  Scatter: "scatter",
};
const kindsOfRoots: Record<string, MarkType | "scatter"> = {
  LineChart: "line",
  BarChart: "bar",
  AreaChart: "area",
  ScatterChart: "scatter",
};

function readRoot(type: ChartType, root: ChartElement): ChartSettings {
  if (root.name === "Number") return readNumber(root);
  if (root.name === "PieChart") return readPie(root);
  const first = root.children.find(({ name }) => Object.hasOwn(kinds, name));
  const composed = isMarkType(type) ? type : (kinds[first?.name ?? ""] ?? "line");
  const kind = root.name === "ComposedChart" ? composed : kindsOfRoots[root.name];
  return kind ? readCartesian(kind, root) : { ...plainSettings, type };
}

const text = (value: LiteralValue | undefined): string | null => (typeof value === "string" ? value : null);
const number = (value: LiteralValue | undefined): number | null => (typeof value === "number" ? value : null);
const format = (value: LiteralValue | undefined): ValueFormat => (isValueFormat(value) ? value : "auto");
const sort = (value: LiteralValue | undefined): SortOrder =>
  sortOrders.find((order) => order === value) ?? "none";

const child = (root: ChartElement, name: string) => root.children.find((one) => one.name === name);

const readNumber = ({ props }: ChartElement): ChartSettings => ({
  ...plainSettings,
  type: "number",
  series: [
    { column: text(props.dataKey) ?? "", label: text(props.label), color: null, mark: null, axis: "left" },
  ],
  valueFormat: format(props.format),
  decimals: number(props.decimals),
  compareTo: text(props.compareTo),
  over: text(props.over),
});

/** The colours by name. */
const readCells = (mark: ChartElement | undefined): Record<string, string> =>
  Object.fromEntries(
    (mark?.children ?? []).flatMap(({ name, props }) => {
      const [value, fill] = [text(props.name), text(props.fill)];
      return name === "Cell" && value !== null && fill !== null ? [[value, fill]] : [];
    }),
  );

function readPie(root: ChartElement): ChartSettings {
  const pie = child(root, "Pie");
  const props = pie?.props ?? {};
  return {
    ...plainSettings,
    type: "pie",
    category: text(props.nameKey),
    series: [
      { column: text(props.dataKey) ?? "", label: null, color: text(props.fill), mark: null, axis: "left" },
    ],
    splitColors: readCells(pie),
    legend: child(root, "Legend") !== undefined,
    labels: props.label === true,
    valueFormat: format(child(root, "Tooltip")?.props.valueFormat),
    sort: sort(root.props.sort),
    top: number(root.props.top),
  };
}

function readCartesian(type: MarkType | "scatter", root: ChartElement): ChartSettings {
  const horizontal = root.props.layout === "vertical";
  const [categoryName, valueName] = horizontal ? ["YAxis", "XAxis"] : ["XAxis", "YAxis"];
  const categoryAxis = child(root, categoryName)?.props ?? {};
  const axes = root.children.filter(({ name }) => name === valueName);
  const right = axes.find(({ props }) => props.yAxisId === "right")?.props ?? {};
  const left = axes.find(({ props }) => props.yAxisId !== "right")?.props ?? {};
  const marks = root.children.filter(({ name }) => Object.hasOwn(kinds, name));
  const [minimum, maximum] = readDomain(left.domain);
  const [rightMinimum, rightMaximum] = readDomain(right.domain);
  const isStacked = marks.some(({ props }) => props.stackId !== undefined);
  const lines = root.children.filter(({ name }) => name === "ReferenceLine");
  const placeOf = ({ props }: ChartElement) => (horizontal ? props.x : props.y);
  const goal = lines.find((line) => typeof placeOf(line) === "number");
  return {
    ...plainSettings,
    type,
    category: text(categoryAxis.dataKey),
    series: marks.map((mark, index) => readSeries(type, mark, index)),
    splitBy: marks.length === 1 ? text(marks[0]?.props.splitBy) : null,
    splitColors: marks.length === 1 && marks[0]?.props.splitBy !== undefined ? readCells(marks[0]) : {},
    stacking: root.props.stackOffset === "expand" ? "percent" : isStacked ? "stacked" : "none",
    horizontal,
    smooth: marks.some(({ props }) => props.type === "monotone"),
    dots: readDots(marks),
    grid: child(root, "CartesianGrid") !== undefined,
    legend: child(root, "Legend") !== undefined,
    sort: sort(root.props.sort),
    top: number(root.props.top),
    empty:
      root.props.empty === "zero"
        ? "zero"
        : marks.some(({ props }) => props.connectNulls === true)
          ? "connect"
          : "gap",
    categoryFormat: format(categoryAxis.format),
    valueFormat: format(left.format),
    categoryLabel: text(categoryAxis.label),
    valueLabel: text(left.label),
    logarithmic: left.scale === "log",
    minimum,
    maximum,
    rightFormat: format(right.format),
    rightLabel: text(right.label),
    rightMinimum,
    rightMaximum,
    goal: goal ? number(placeOf(goal)) : null,
    goalLabel: goal ? text(goal.props.label) : null,
    average: lines.some((line) => placeOf(line) === "average"),
    labels: marks.some((mark) => child(mark, "LabelList") !== undefined),
  };
}

function readDots(marks: readonly ChartElement[]): boolean {
  const lines = marks.filter(({ name }) => name === "Line");
  return lines.length > 0 && lines.every(({ props }) => props.dot !== false);
}

function readSeries(
  type: MarkType | "scatter",
  { name, props }: ChartElement,
  index: number,
): SeriesSettings {
  const color = text(name === "Line" ? props.stroke : (props.fill ?? props.stroke));
  const kind = kinds[name];
  return {
    column: text(props.dataKey) ?? "",
    label: text(props.name),
    color: color === colorAt(index) ? null : color,
    mark: isMarkType(kind) && kind !== type ? kind : null,
    axis: props.yAxisId === "right" ? "right" : "left",
  };
}

function readDomain(value: LiteralValue | undefined): [number | null, number | null] {
  const [from, to] = Array.isArray(value) ? value : [];
  return [number(from), number(to)];
}
