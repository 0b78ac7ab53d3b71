import type { Visualization } from "../visualizations.ts";
import { type ChartElement, parseJsxConfig } from "./parse-jsx-config.ts";

const series = new Set(["Line", "Bar", "Area", "Pie", "Number"]);

/** The columns whose numbers a chart shows, in its order. */
export function shownColumnsOf({ jsxConfig }: Pick<Visualization, "jsxConfig">): string[] {
  const root = parseJsxConfig(jsxConfig);
  const found = root ? elementsIn(root).filter((element) => showsNumbers(element, root)) : [];
  const names = found.flatMap(({ props: { dataKey, hide } }) =>
    typeof dataKey === "string" && hide !== true ? [dataKey] : [],
  );
  return [...new Set(names)];
}

const elementsIn = (element: ChartElement): ChartElement[] => [
  element,
  ...element.children.flatMap(elementsIn),
];

/** The points of a scatter chart have their numbers on the axis. */
const showsNumbers = ({ name }: ChartElement, root: ChartElement): boolean =>
  series.has(name) || (root.name === "ScatterChart" && name === "YAxis");
