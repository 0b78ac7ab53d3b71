import { parseJsxConfig } from "@querybell/domain/jsx-config";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChartRows } from "./chart-data.ts";
import { othersColor } from "./palette.ts";
import { splitMarks } from "./split-marks.ts";

const fields: ChartRows["fields"] = [
  { name: "month", type: "string" },
  { name: "team", type: "string" },
  { name: "revenue", type: "decimal" },
];

function draw(jsxConfig: string, rows: unknown[][]) {
  const root = parseJsxConfig(jsxConfig);
  if (!root) throw new Error("The chart is empty.");
  return splitMarks(root, { fields, rows, rowCount: rows.length });
}

const chart = (mark: string) => `<ComposedChart><XAxis dataKey="month" />${mark}</ComposedChart>`;
const line = chart('<Line dataKey="revenue" splitBy="team" />');
const stack = chart('<Bar dataKey="revenue" splitBy="team" stackId="all" />');

/** The categories, and the values of each series along them. */
function read({ element, data }: ReturnType<typeof splitMarks>) {
  const marks = element.children.filter(({ name }) => name !== "XAxis");
  return {
    categories: data.map(({ month }) => month),
    series: Object.fromEntries(
      marks.map(({ props }) => [props.name, data.map((row) => row[String(props.dataKey)])]),
    ),
  };
}

describe("a split chart", () => {
  test("has one series for each name, the largest first, with gaps where a value is missing", () => {
    const drawn = draw(line, [
      ["b", "North", "1.5"],
      ["b", null, "4"],
      ["a", "North", "2"],
      ["a", "", "1"],
      ["c", "North", null],
    ]);
    expect(read(drawn)).toEqual({
      categories: ["b", "a", "c"],
      series: {
        "No value": [4, undefined, undefined],
        North: [1.5, 2, undefined],
        "Empty text": [undefined, 1, undefined],
      },
    });
    expect(Object.keys(read(drawn).series)).toEqual(["No value", "North", "Empty text"]);
    expect(drawn.notes).toEqual([]);
  });

  test("has its dates in order if its rows are ordered by name first", () => {
    const rows = [
      ["2026-02", "North", "1"],
      ["2026-03", "North", "1"],
      ["2026-01", "South", "1"],
      ["2026-03", "South", "1"],
    ];
    expect(read(draw(line, rows)).categories).toEqual(["2026-01", "2026-02", "2026-03"]);
    const descending = rows.toSorted(([a], [b]) => (String(a) > String(b) ? -1 : 1));
    expect(read(draw(line, descending)).categories).toEqual(["2026-03", "2026-02", "2026-01"]);
  });

  const many = Array.from({ length: 11 }, (_, index) => ["a", `T${index}`, `${index}.1`]);

  test("adds the smallest names of a stack up, so that its total stays right", () => {
    const { element, data } = draw(stack, many);
    const others = element.children.at(-1);
    expect(element.children).toHaveLength(1 + 9);
    expect(others?.props).toMatchObject({ name: "3 others", fill: othersColor, stackId: "all" });
    expect(data[0]?.[String(others?.props.dataKey)]).toBe(3.3);
  });

  test("says how many lines it does not show", () => {
    const drawn = draw(line, many);
    expect(Object.keys(read(drawn).series)).toEqual(["T10", "T9", "T8", "T7", "T6", "T5", "T4", "T3"]);
    expect(drawn.notes).toEqual(["Shows the 8 values of team with the largest sums. 3 more are not shown."]);
  });

  test("says that it adds rows of one name and category up", () => {
    const drawn = draw(line, [
      ["a", "North", "0.1"],
      ["a", "North", "0.2"],
    ]);
    expect(read(drawn).series).toEqual({ North: [0.3] });
    expect(drawn.notes).toEqual(["Rows with the same month and team are added up."]);
  });

  test("adds up numbers of any size", () => {
    const drawn = draw(line, [
      ["a", "North", "1e-310"],
      ["a", "North", "0"],
      ["b", "North", "0"],
    ]);
    expect(read(drawn).series).toEqual({ North: [1e-310, 0] });
  });

  test("keeps every point of a scatter chart", () => {
    const scatter =
      '<ScatterChart><XAxis dataKey="month" type="number" /><Scatter dataKey="revenue" splitBy="team" /></ScatterChart>';
    const drawn = draw(scatter, [
      ["1", "North", "5"],
      ["1", "North", "6"],
      ["2", "South", "7"],
    ]);
    expect(read(drawn).series).toEqual({ North: [5, 6, undefined], South: [undefined, undefined, 7] });
  });

  test("draws other marks from the first row of each category", () => {
    const drawn = draw(chart('<Bar dataKey="revenue" splitBy="team" /><Line dataKey="revenue" />'), [
      ["a", "North", "1"],
      ["a", "South", "2"],
    ]);
    expect(drawn.data).toHaveLength(1);
    expect(drawn.data[0]).toMatchObject({ month: "a", revenue: 1 });
  });

  test("is drawn as it was before if its column is gone, and says so", () => {
    const drawn = draw(line.replace('"team"', '"group"'), [["a", "North", "1"]]);
    expect(drawn.data).toEqual([{ month: "a", team: "North", revenue: 1 }]);
    expect(drawn.notes).toEqual(["The result has no column “group” to split by."]);
  });

  test("draws no more points than can be seen, and says so", () => {
    const rows = Array.from({ length: 50_000 }, (_, row) => [`day ${row % 5000}`, `T${row % 10}`, "1"]);
    const drawn = draw(stack, rows);
    expect(drawn.data).toHaveLength(444);
    expect(drawn.notes.at(-1)).toBe("Shows the first 444 of 5,000 values of month.");
  });

  test("draws no more bars than that without a split either", () => {
    const rows = Array.from({ length: 2000 }, (_, row) => [`day ${row}`, "T", "1"]);
    const bars = '<Bar dataKey="revenue" />'.repeat(5);
    const drawn = draw(chart(bars), rows);
    expect(drawn.data).toHaveLength(800);
    expect(drawn.notes).toEqual(["Shows the first 800 of 2,000 rows."]);
  });

  test("shows the sum of all rows, whatever they are", () => {
    const cell = fc.tuple(
      fc.constantFrom("a", "b", "c", null),
      fc.option(fc.constantFrom(..."ABCDEFGHIJKL")),
      fc.option(fc.integer({ min: -1000, max: 1000 }).map(String)),
    );
    fc.assert(
      fc.property(fc.array(cell), (rows) => {
        const { element, data } = draw(stack, rows);
        const keys = element.children.slice(1).map(({ props }) => String(props.dataKey));
        expect(new Set(data.map(({ month }) => month)).size).toBe(data.length);
        for (const row of data) {
          const shown = keys.reduce((sum, key) => sum + Number(row[key] ?? 0), 0);
          const stored = rows.filter(([month]) => month === row.month);
          expect(shown).toBe(stored.reduce((sum, [, , value]) => sum + Number(value ?? 0), 0));
        }
      }),
    );
  });
});
