interface ElementRule {
  props: readonly string[];
  /** The allowed child elements. */
  children: readonly string[];
}

const words = (text: string): string[] => text.split(" ");

const look = words("fill fillOpacity stroke strokeWidth strokeDasharray opacity");
const series = [
  ...look,
  ...words("dataKey name unit hide legendType stackId xAxisId yAxisId"),
  // Not a prop of Recharts: one series for each value of this column.
  "splitBy",
];
const chart = [
  ...words("layout stackOffset barGap barCategoryGap barSize reverseStackOrder syncId"),
  // Not props of Recharts: the order of the categories, how many of them are not added up, and "gap" or "zero".
  ...words("sort top empty"),
];
const axis = words(
  "dataKey type hide orientation reversed scale domain unit name width height tickCount ticks interval angle " +
    "textAnchor tickLine axisLine minTickGap mirror allowDecimals allowDataOverflow allowDuplicatedCategory " +
    "label tickMargin stroke format",
);
const around = words("XAxis YAxis CartesianGrid Tooltip Legend ReferenceLine ReferenceArea");
const marks = ["LabelList", "Cell"];

/** All allowed elements of a visualization with their allowed props. */
export const chartElements: Readonly<Record<string, ElementRule>> = {
  LineChart: { props: chart, children: [...around, "Line"] },
  BarChart: { props: chart, children: [...around, "Bar"] },
  AreaChart: { props: chart, children: [...around, "Area"] },
  ScatterChart: { props: chart, children: [...around, "ZAxis", "Scatter"] },
  ComposedChart: { props: chart, children: [...around, "Line", "Bar", "Area", "Scatter"] },
  PieChart: { props: ["sort", "top"], children: ["Pie", "Tooltip", "Legend"] },
  // With `rows`, a list of columns: one row for each combination of their values.
  Table: {
    props: ["pageSize", "striped", "dense", "rows", "columns", "values", "aggregate"],
    children: ["Column"],
  },
  Number: {
    // With `over`, a column of time: the number of its latest row, compared with the one before.
    props: ["dataKey", "label", "prefix", "suffix", "decimals", "compareTo", "format", "over"],
    children: [],
  },

  Line: {
    props: [...series, "type", "dot", "activeDot", "connectNulls", "strokeLinecap"],
    children: marks,
  },
  Bar: {
    props: [...series, "barSize", "maxBarSize", "minPointSize", "radius", "background"],
    children: marks,
  },
  Area: {
    props: [...series, "type", "dot", "activeDot", "connectNulls", "baseValue"],
    children: marks,
  },
  Scatter: { props: [...series, "line", "lineType", "shape"], children: marks },
  Pie: {
    props: [
      ...look,
      ...words(
        "dataKey nameKey cx cy innerRadius outerRadius startAngle endAngle paddingAngle cornerRadius label " +
          "labelLine legendType minAngle",
      ),
    ],
    children: marks,
  },

  XAxis: { props: [...axis, "xAxisId", "padding"], children: ["Label"] },
  YAxis: { props: [...axis, "yAxisId", "padding"], children: ["Label"] },
  ZAxis: {
    props: ["dataKey", "type", "range", "unit", "name", "domain", "scale", "zAxisId"],
    children: [],
  },
  CartesianGrid: { props: [...look, "horizontal", "vertical"], children: [] },
  Tooltip: { props: ["cursor", "separator", "offset", "shared", "labelFormat", "valueFormat"], children: [] },
  Legend: { props: ["layout", "align", "verticalAlign", "iconSize", "iconType", "height"], children: [] },
  ReferenceLine: {
    props: [...look, "x", "y", "segment", "label", "xAxisId", "yAxisId", "ifOverflow"],
    children: ["Label"],
  },
  ReferenceArea: {
    props: [...look, "x1", "x2", "y1", "y2", "label", "xAxisId", "yAxisId", "ifOverflow"],
    children: ["Label"],
  },
  Label: { props: ["value", "position", "offset", "angle", "fill"], children: [] },
  LabelList: { props: ["dataKey", "position", "offset", "angle", "fill", "format"], children: [] },
  // With a name: the colour of that value of a split, or of that category.
  Cell: { props: [...look, "name"], children: [] },
  Column: {
    props: words("dataKey title align width hide format decimals pin total color link"),
    children: [],
  },
};

/** The allowed root elements. */
export const chartRoots = [
  "LineChart",
  "BarChart",
  "AreaChart",
  "ScatterChart",
  "ComposedChart",
  "PieChart",
  "Table",
  "Number",
] as const;
