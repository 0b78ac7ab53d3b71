import { expect, test } from "vitest";
import { drawChart, prepareChart } from "./draw-chart.ts";
import { createFormats } from "./formats.ts";
import { lightTheme, type SceneNode } from "./scene.ts";

const formats = createFormats({ locale: "en", timeZone: "UTC" });

// Two channels in each of three months.
const long = {
  fields: [
    { name: "month", type: "date" as const },
    { name: "channel", type: "string" as const },
    { name: "revenue", type: "decimal" as const },
    { name: "return_rate", type: "number" as const },
  ],
  rows: [
    ["2026-08-01", "web", "10.10", 0.5],
    ["2026-08-01", "app", "20.20", 0.25],
    ["2026-09-01", "web", "30.30", 0.5],
    ["2026-09-01", "app", "40.40", 0.25],
    ["2026-10-01", "web", "50.50", 0.5],
    ["2026-10-01", "app", "100.00", 0.25],
  ],
  rowCount: 6,
};

function draw(type: "pie" | "number" | "bar" | "line", jsxConfig: string, rows = long) {
  const marginConfig = { top: 10, right: 10, bottom: 10, left: 10 };
  const chart = prepareChart({ type, jsxConfig, marginConfig }, rows);
  if (!chart) throw new Error("It is a table.");
  return drawChart(chart, { width: 800, height: 400, theme: lightTheme, formats });
}

const textsIn = (nodes: readonly SceneNode[]): string[] =>
  nodes.flatMap((node) => (node.kind === "text" ? [node.text] : "nodes" in node ? textsIn(node.nodes) : []));

test("a pie adds up the rows with the same name, exactly, and says so", () => {
  const scene = draw("pie", `<PieChart><Pie dataKey="revenue" nameKey="channel" /></PieChart>`);
  expect(scene.table().rows).toEqual([
    ["app", "160.6", "63.9%"],
    ["web", "90.9", "36.1%"],
  ]);
  expect(scene.notes).toEqual(["Rows with the same channel are added up."]);
});

test("a pie names months as an axis does", () => {
  const scene = draw("pie", `<PieChart><Pie dataKey="revenue" nameKey="month" /></PieChart>`);
  expect(scene.table().rows.map(([name]) => name)).toEqual(["Oct 2026", "Sep 2026", "Aug 2026"]);
});

test("a number over time compares the sums of its periods", () => {
  const { nodes, notes } = draw("number", `<Number dataKey="revenue" over="month" />`);
  const texts = textsIn(nodes);
  expect(texts).toContain("150.5");
  expect(texts).toContain("+112.9% from 70.7 in Sep 2026");
  expect(notes).toEqual(["Rows with the same month are added up."]);
});

test("a number of several rows without a time says which row it shows", () => {
  expect(draw("number", `<Number dataKey="revenue" />`).notes).toEqual(["Shows the first of 6 rows."]);
});

test("an axis of shares is in percent, whatever the format of the values", () => {
  const { nodes } = draw(
    "bar",
    `<BarChart stackOffset="expand"><XAxis dataKey="month" /><YAxis format="eur" />
      <Bar dataKey="revenue" stackId="a" splitBy="channel" /></BarChart>`,
  );
  expect(textsIn(nodes)).toContain("100%");
  expect(textsIn(nodes).filter((text) => text.includes("€"))).toEqual([]);
});

test("a second axis without a format does not take that of the first", () => {
  const scene = draw(
    "bar",
    `<ComposedChart><XAxis dataKey="month" /><YAxis format="eur" /><YAxis yAxisId="right" orientation="right" />
      <Tooltip valueFormat="eur" /><Bar dataKey="revenue" /><Line dataKey="return_rate" yAxisId="right" /></ComposedChart>`,
  );
  expect(scene.point(0)?.rows).toMatchObject([{ text: "€10.10" }, { text: "0.5" }]);
});

test("the others of the largest have a sum but no rate, count in the average, and leave months readable", () => {
  const monthly = { ...long, rows: long.rows.filter(([, channel]) => channel === "web"), rowCount: 3 };
  const scene = draw(
    "bar",
    `<ComposedChart top={1}><XAxis dataKey="month" /><YAxis /><YAxis yAxisId="right" orientation="right" />
      <Bar dataKey="revenue" /><Line dataKey="return_rate" yAxisId="right" /><ReferenceLine y="average" /></ComposedChart>`,
    monthly,
  );
  expect(scene.table().rows).toEqual([
    ["Oct 2026", "50.5", "0.5"],
    ["2 others", "40.4", ""],
  ]);
  // (10.10 + 30.30 + 50.50) / 3
  expect(textsIn(scene.nodes)).toContain("Average 30.3");
});
