import { describe, expect, test } from "vitest";
import { type DashboardPicture, drawDashboardPicture, type PictureTile } from "./dashboard-picture.ts";

const marginConfig = { top: 16, right: 24, bottom: 24, left: 16 };
const rows = {
  fields: [
    { name: "fruit", type: "string" as const, nullable: false },
    { name: "weight", type: "integer" as const, nullable: false },
  ],
  rows: Array.from({ length: 40 }, (_, at) => [`fruit <${at}>`, at * 1000]),
  rowCount: 40,
};
const chart = (type: "bar" | "number" | "table", jsxConfig: string) => ({
  ...{ kind: "chart" as const, title: `A ${type} & more`, notes: [], read: () => rows },
  visualization: { type, jsxConfig, marginConfig },
});

const draw = (tiles: PictureTile[], more: Partial<DashboardPicture> = {}) =>
  drawDashboardPicture({
    ...{ title: "Shop", moment: "As of noon", scheme: "light", maxHeight: 4000, isCropped: false },
    ...{ locale: "en", timeZone: "UTC", tabs: [{ title: "Overview", tiles }] },
    ...more,
  });

/** The texts of a picture, in the order in which they are drawn. */
const textsOf = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
const heightOf = (svg: string) => Number(/ height="(\d+)"/.exec(svg)?.[1]);

describe("the picture of a dashboard", () => {
  test("has its title, its moment, and what every kind of tile shows", () => {
    const svg = draw([
      { kind: "text", text: "# All <shops>\n\n- **one**\n- two", x: 0, y: 0, w: 12, h: 3 },
      {
        ...chart("bar", '<BarChart><XAxis dataKey="fruit" /><Bar dataKey="weight" /></BarChart>'),
        ...{ x: 0, y: 3, w: 6, h: 6 },
      },
      { ...chart("number", '<Number dataKey="weight" />'), x: 6, y: 3, w: 6, h: 3 },
      { kind: "empty", title: null, reason: "You may not see this chart.", x: 6, y: 6, w: 6, h: 3 },
    ]);
    const texts = textsOf(svg);
    expect(texts.slice(0, 2)).toEqual(["Shop", "As of noon"]);
    for (const text of ["All &lt;shops&gt;", "one", "A bar &amp; more", "You may not see this chart."])
      expect(texts).toContain(text);
    expect(svg).not.toMatch(/href|style=|<script/);
    expect([svg.includes('width="1248"'), heightOf(svg)]).toEqual([true, 24 + 64 + 9 * 56 - 16 + 24]);
  });

  test("cuts a table at its tile, and says so", () => {
    const table = { ...chart("table", "<Table />"), visualization: null };
    const texts = textsOf(draw([{ ...table, x: 0, y: 0, w: 6, h: 4 }]));
    expect(texts).toContain("39,000".replace("39", "1"));
    expect(texts).not.toContain("39,000");
    const shown = texts.filter((text) => text?.startsWith("fruit &lt;")).length;
    expect(texts.at(-1)).toBe(`The first ${shown} of 40 rows.`);
    const narrow = textsOf(draw([{ ...table, x: 0, y: 0, w: 1, h: 4 }]));
    expect(narrow.join(" ")).toMatch(/The first \d+ of 40/);
  });

  test("has the columns of a table in their chosen widths, and leaves a number out rather than cutting it", () => {
    const fields = [
      { name: "fruit", type: "string" as const },
      { name: "weight", type: "decimal" as const },
    ];
    const long = { fields, rows: [["A long name of a fruit", "1234567890123456.25"]], rowCount: 1 };
    const table = (jsxConfig: string) => ({ ...chart("table", jsxConfig), read: () => long });
    const textsIn = (jsxConfig: string, w: number) =>
      textsOf(draw([{ ...table(jsxConfig), x: 0, y: 0, w, h: 4 }]));
    expect(textsIn("<Table />", 6)).toContain("A long name of a fruit");
    const narrow = textsIn(
      '<Table><Column dataKey="fruit" width={80} /><Column dataKey="weight" width={60} /></Table>',
      6,
    );
    expect(narrow.find((text) => text?.startsWith("A long"))).toMatch(/^A long.*…$/);
    expect(narrow).toContain("1,234,567,890,123,456.25");
    const small = textsIn("<Table />", 3);
    expect(small.join(" ")).not.toContain("1,234");
    expect(small.join(" ")).toContain("The first 1 of 2 columns.");
  });

  test("names its tabs, and says how many tiles do not fit", () => {
    const tile = { kind: "empty" as const, title: "A tile", reason: "empty", x: 0, w: 6, h: 10 };
    const tabs = [1, 2].map((n) => ({ title: `Tab ${n}`, tiles: [0, 10, 20].map((y) => ({ ...tile, y })) }));
    const whole = draw([], { tabs });
    expect(textsOf(whole)).toEqual(expect.arrayContaining(["Tab 1", "Tab 2"]));
    const cut = draw([], { tabs, maxHeight: 1400 });
    expect(textsOf(cut).at(-1)).toBe("4 more tiles do not fit into this picture.");
    expect(heightOf(cut)).toBeLessThanOrEqual(1400);
    const cropped = draw([], { tabs, maxHeight: 655, isCropped: true });
    expect([heightOf(cropped), textsOf(cropped).filter((text) => text === "A tile").length]).toEqual([
      655, 1,
    ]);
  });

  test("says in its tile why a chart cannot be drawn", () => {
    const texts = textsOf(draw([{ ...chart("bar", "<BarChart>"), x: 0, y: 0, w: 6, h: 6 }]));
    expect(texts.length).toBeGreaterThan(3);
  });
});
