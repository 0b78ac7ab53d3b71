import { describe, expect, test } from "vitest";
import { drawChart, prepareChart } from "./draw-chart.ts";
import { createFormats } from "./formats.ts";
import { drawPicture } from "./picture.ts";
import { lightTheme, type SceneNode, type TextNode } from "./scene.ts";
import { shapes } from "./testing/shapes.ts";
import { textWidth } from "./text-width.ts";

const formats = createFormats({ locale: "en", timeZone: "UTC" });
const reader = { locale: "en", timeZone: "UTC" };

const textsIn = (nodes: readonly SceneNode[]): TextNode[] =>
  nodes.flatMap((node) => (node.kind === "text" ? [node] : "nodes" in node ? textsIn(node.nodes) : []));

/** The rectangle of a text that is not turned. */
function boxOf({ x, y, text, size, anchor, weight }: TextNode) {
  const width = textWidth(text, size, weight);
  const left = anchor === "start" ? x : anchor === "end" ? x - width : x - width / 2;
  return { left, right: left + width, top: y - size * 0.8, bottom: y + size * 0.2 };
}

test("there are forty shapes, each with its own name", () => {
  expect(shapes.length).toBeGreaterThanOrEqual(40);
  expect(new Set(shapes.map(({ name }) => name)).size).toBe(shapes.length);
});

describe.each([
  [960, 420],
  [358, 280],
])("at %d × %d", (width, height) => {
  test.each(shapes.map((shape) => [shape.name, shape] as const))("%s", (_, { visualization, rows }) => {
    const chart = prepareChart(visualization, rows);
    if (!chart) throw new Error("It is a table.");
    const scene = drawChart(chart, { width, height, theme: lightTheme, formats });
    expect(JSON.stringify(scene.nodes)).not.toMatch(/NaN|Infinity|undefined|null/);

    // No text lies on another one of its kind, or outside.
    const texts = textsIn(scene.nodes).filter(({ rotate, part }) => rotate === undefined && part !== "label");
    const boxes = texts.map((text) => ({ text, box: boxOf(text) }));
    for (const [index, { text, box }] of boxes.entries()) {
      expect(box.left, text.text).toBeGreaterThanOrEqual(-2);
      expect(box.right, text.text).toBeLessThanOrEqual(width + 2);
      expect(box.bottom, text.text).toBeLessThanOrEqual(height + 2);
      for (const other of boxes.slice(index + 1)) {
        if (other.text.part !== text.part) continue;
        const isOver =
          box.left < other.box.right &&
          box.right > other.box.left &&
          box.top < other.box.bottom &&
          box.bottom > other.box.top;
        expect(isOver, `${text.text} lies on ${other.text.text}`).toBe(false);
      }
    }

    // Every point can be looked at, and says something.
    const table = scene.table();
    expect(scene.description).not.toBe("");
    for (const index of [0, Math.floor(scene.pointCount / 2), scene.pointCount - 1]) {
      const point = scene.point(index);
      if (scene.pointCount === 0) expect(point).toBeUndefined();
      else expect(point?.rows.every(({ text }) => text !== "")).toBe(true);
    }
    expect(table.rows.every((row) => row.length === table.headings.length)).toBe(true);
  });
});

test.each(["light", "dark"] as const)(
  "a %s picture is SVG without styles, scripts and references",
  (scheme) => {
    for (const { visualization, rows, name } of shapes) {
      const svg =
        drawPicture(visualization, rows, { title: `${name} <&> "x"`, width: 960, scheme, ...reader }) ?? "";
      expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="960"/);
      expect(svg).not.toMatch(/style=|<script|href|url\(/);
      expect(svg).toContain("&lt;&amp;&gt;");
    }
  },
);

test("colours of the text that refer to something outside are not used", () => {
  const [shape] = shapes;
  if (!shape) throw new Error("There are no shapes.");
  const jsxConfig =
    '<LineChart><XAxis dataKey="month" /><Line dataKey="revenue_eur" stroke="url(https://example.com/#a)" /></LineChart>';
  const svg = drawPicture({ ...shape.visualization, jsxConfig }, shape.rows, {
    title: "a",
    width: 800,
    scheme: "light",
    ...reader,
  });
  expect(svg).not.toContain("url(");
});

describe("what the pointer shows", () => {
  const sceneOf = (name: string) => {
    const shape = shapes.find((one) => one.name === name);
    const chart = shape && prepareChart(shape.visualization, shape.rows);
    if (!chart) throw new Error(`There is no shape ${name}.`);
    return drawChart(chart, { width: 900, height: 400, theme: lightTheme, formats });
  };

  test("has the exact value, also where the axis is short", () => {
    const point = sceneOf("revenue by month").point(0);
    expect(point).toMatchObject({ title: "Jan 2025", rows: [{ name: "revenue_eur" }] });
    expect(point?.rows[0]?.text).toMatch(/^€\d,\d{3},\d{3}\.\d{2}$/);
  });

  test("is sorted by value, with the total of a stack", () => {
    const point = sceneOf("teams by month, stacked").point(3);
    const values = point?.rows.map(({ text }) => Number(text.replaceAll(",", "")));
    expect(values).toEqual(values?.toSorted((a, b) => b - a));
    const total = values?.reduce((sum, value) => sum + value, 0);
    expect(Number(point?.total?.replaceAll(",", ""))).toBeCloseTo(total ?? 0);
  });

  test("has digits that a number cannot hold", () => {
    expect(sceneOf("huge numbers").point(0)?.rows[0]?.text).toBe("400,000,000,000,000,000");
  });

  test("in a chart to 100 % has the share of its axis, and the value", () => {
    const point = sceneOf("teams by month to 100 %").point(0);
    for (const { text } of point?.rows ?? []) expect(text).toMatch(/^\d\d(?:\.\d)?% \([\d,]+(?:\.\d+)?\)$/);
  });

  test("is found by its place", () => {
    const scene = sceneOf("two years by day");
    const point = scene.point(400);
    expect(scene.nearest(point?.x ?? 0, 200)).toBe(400);
    expect(scene.nearest(-50, 200)).toBeUndefined();
  });
});

test("a pie shows the eight largest slices and adds the others up", () => {
  const shape = shapes.find(({ name }) => name === "33 countries as a pie");
  const chart = shape && prepareChart(shape.visualization, shape.rows);
  if (!chart) throw new Error("There is no pie.");
  const scene = drawChart(chart, { width: 900, height: 400, theme: lightTheme, formats });
  const { rows } = scene.table();
  expect(rows).toHaveLength(9);
  expect(rows[0]?.[0]).toBe("Germany");
  expect(rows.at(-1)?.[0]).toBe("25 others");
});

test("long names that differ at their end only can be told apart", () => {
  const names = ["retail", "wholesale", "online"].map(
    (end) => `Customers of the northern sales region, ${end}`,
  );
  const fields = [
    { name: "customers", type: "string" as const },
    { name: "sold", type: "integer" as const },
  ];
  const rows = { fields, rows: names.map((name, index) => [name, index + 1]), rowCount: 3 };
  const drawn = (text: string) => {
    const visualization = {
      type: "bar" as const,
      jsxConfig: text,
      marginConfig: { top: 0, right: 0, bottom: 0, left: 0 },
    };
    const chart = prepareChart(visualization, rows);
    if (!chart) throw new Error("It is a table.");
    const scene = drawChart(chart, { width: 358, height: 280, theme: lightTheme, formats });
    return textsIn(scene.nodes)
      .map((node) => node.text)
      .filter((one) => one.includes("…"));
  };
  const lying = drawn(
    '<BarChart layout="vertical"><XAxis /><YAxis dataKey="customers" /><Bar dataKey="sold" /></BarChart>',
  );
  const legend = drawn(
    '<BarChart><XAxis hide /><Legend /><Bar dataKey="sold" splitBy="customers" /></BarChart>',
  );
  for (const texts of [lying, legend]) {
    expect(texts).toHaveLength(3);
    for (const end of ["retail", "wholesale", "online"])
      expect(texts.some((one) => one.endsWith(end))).toBe(true);
  }
});

test("a number that is drawn with fewer digits has all of them beside the pointer", () => {
  const rows = {
    fields: [{ name: "share", type: "decimal" as const }],
    rows: [["0.123456789"]],
    rowCount: 1,
  };
  const sceneOf = (jsxConfig: string) => {
    const chart = prepareChart(
      { type: "number", jsxConfig, marginConfig: { top: 0, right: 0, bottom: 0, left: 0 } },
      rows,
    );
    if (!chart) throw new Error("It is a table.");
    return drawChart(chart, { width: 400, height: 200, theme: lightTheme, formats });
  };
  const short = sceneOf('<Number dataKey="share" format="percent" />');
  expect(short.point(0)?.rows[0]?.text).toBe("12.35% (0.123456789)");
  expect(short.table().rows).toEqual([["12.35% (0.123456789)"]]);
  expect(sceneOf('<Number dataKey="share" />').pointCount).toBe(0);
});
