import { describe, expect, test } from "vitest";
import { type ChartSettings, type ChartType, plainSeries, plainSettings } from "./chart-settings.ts";
import { elementToSettings } from "./element-to-settings.ts";
import { colorAt } from "./palette.ts";
import { settingsToElement } from "./settings-to-element.ts";
import {
  addToMemory,
  changeType,
  defaultSettings,
  remember,
  suggestSettings,
  suggestTitle,
} from "./suggest-settings.ts";

const series = (...columns: string[]) => columns.map(plainSeries);

const field = (name: string, type: "date" | "string" | "integer" | "decimal") => ({ name, type });

describe("a first chart", () => {
  test.each([
    [[field("month", "date"), field("revenue", "decimal")], 12, { type: "line", category: "month" }],
    [[field("country", "string"), field("sold", "integer")], 5, { type: "bar", category: "country" }],
    [[field("total", "integer")], 1, { type: "number", series: [{ column: "total" }] }],
    [[field("a", "integer"), field("b", "integer")], 9, { type: "scatter", category: "a" }],
    [[field("name", "string")], 9, { type: "table" }],
  ])("fits the columns %j", (fields, rowCount, expected) => {
    const rows = Array.from({ length: rowCount }, (_, row) => fields.map(() => `${row}`));
    expect(suggestSettings({ fields, rows, rowCount })).toMatchObject(expected);
  });

  const [month, region, team, revenue] = [
    field("month", "date"),
    field("region", "string"),
    field("team", "string"),
    field("revenue", "decimal"),
  ];
  const suggest = (fields: ReturnType<typeof field>[], rows: unknown[][]) =>
    suggestSettings({ fields, rows, rowCount: rows.length });

  test("of several rows for each day has a line for each name", () => {
    const rows = [
      ["2026-01-01", "North", "1.50"],
      ["2026-01-01", "South", "2.50"],
      ["2026-02-01", "North", "3.50"],
    ];
    expect(suggest([month, team, revenue], rows)).toMatchObject({
      type: "line",
      category: "month",
      splitBy: "team",
      series: [{ column: "revenue" }],
      legend: true,
      stacking: "none",
    });
  });

  test("of several rows for each category has stacked bars", () => {
    const rows = [
      ["Europe", "North", "1.50"],
      ["Europe", "South", "2.50"],
      ["Asia", "North", "3.50"],
    ];
    expect(suggest([region, team, revenue], rows)).toMatchObject({
      type: "bar",
      category: "region",
      splitBy: "team",
      stacking: "stacked",
    });
  });

  test("of several rows for each day is split by the names that tell them apart, and shows the first values", () => {
    const rows = [
      ["2026-01-01", "Europe", "North", "1", 1],
      ["2026-01-01", "Europe", "South", "2", 2],
      ["2026-02-01", "Asia", "South", "2", 2],
    ];
    expect(suggest([month, region, team, revenue, field("sold", "integer")], rows)).toMatchObject({
      type: "line",
      splitBy: "team",
      series: [{ column: "revenue" }],
    });
  });

  test("of long names has horizontal bars", () => {
    const names = Array.from({ length: 9 }, (_, row) => [`Ergonomic office chair, model ${row}`, `${row}`]);
    expect(suggest([team, revenue], names)).toMatchObject({ type: "bar", horizontal: true });
    expect(
      suggest(
        [team, revenue],
        [
          ["A", "1"],
          ["B", "2"],
        ],
      ),
    ).toMatchObject({ type: "bar", horizontal: false });
  });

  test.each([
    ["revenue_eur", "12.5", "eur"],
    ["conversion_rate", "0.02", "percent"],
    ["share", "55", "percentValue"],
    ["revenue", "55", "auto"],
  ] as const)("of %s %s has its values as %s", (name, value, valueFormat) => {
    const rows = [
      ["2026-01-01", value],
      ["2026-02-01", value],
    ];
    expect(suggest([month, field(name, "decimal")], rows)).toMatchObject({ type: "line", valueFormat });
  });

  test("of one number that has a past is compared with it", () => {
    const rows = [
      ["2026-01-01", "1"],
      ["2026-02-01", "2"],
    ];
    expect(defaultSettings("number", { fields: [month, revenue], rows })).toMatchObject({ over: "month" });
  });

  test("of names that stand beside one category each is not split", () => {
    const rows = [
      ["North", "Europe", "1.50"],
      ["South", "Europe", "2.50"],
    ];
    expect(suggest([team, region, revenue], rows)).toMatchObject({ type: "bar", splitBy: null });
  });

  test.each([
    [
      "there are no names",
      [month, revenue],
      [
        ["2026-01-01", "1"],
        ["2026-01-01", "2"],
      ],
    ],
    [
      "no name occurs twice",
      [month, team, revenue],
      [
        ["2026-01-01", "North", "1"],
        ["2026-01-01", "South", "2"],
      ],
    ],
    [
      "a day has several rows of one name",
      [month, team, revenue],
      [
        ["2026-01-01", "North", "1"],
        ["2026-01-01", "North", "2"],
      ],
    ],
  ])("of several rows for each day is a table if %s", (_, fields, rows) => {
    expect(suggest(fields, rows)).toMatchObject({ type: "table" });
  });

  test("of one column and no other is drawn all the same", () => {
    expect(defaultSettings("line", { fields: [field("n", "integer")] })).toMatchObject({
      category: "n",
      series: [{ column: "n" }],
    });
    expect(colorAt(8)).toBe(colorAt(0));
  });
});

describe("another type", () => {
  const sample = {
    fields: [
      field("month", "date"),
      field("team", "string"),
      field("revenue", "decimal"),
      field("cost", "decimal"),
    ],
    rows: [["2026-01-01", "North", "1", "2"]],
  };
  const start = {
    ...plainSettings,
    type: "bar" as const,
    category: "month",
    series: series("revenue"),
    splitBy: "team",
    splitColors: { North: "#123456" },
    stacking: "percent" as const,
    valueFormat: "eur" as const,
    valueLabel: "Revenue",
    goal: 5,
  };

  test("keeps split, stacking, formats, colours and titles where they make sense", () => {
    expect(changeType(remember(start), "area", sample)).toEqual({ ...start, type: "area" });
    expect(changeType(remember(start), "line", sample)).toEqual({ ...start, type: "line" });
  });

  test("brings back what it has no place for when the type comes back", () => {
    for (const type of ["number", "pie", "scatter", "table"] as const) {
      const away = changeType(remember(start), type, sample);
      expect(changeType(addToMemory(remember(start), away), "bar", sample)).toEqual(start);
    }
  });

  // As the page shows a chart: what was written, read back.
  const shown = (settings: ChartSettings) =>
    elementToSettings(settings.type, settingsToElement(settings)).settings;
  const goThrough = (first: ChartSettings, ...types: ChartType[]) => {
    let [memory, current] = [remember(first), first];
    for (const type of types) {
      current = shown(changeType(addToMemory(memory, current), type, sample));
      memory = addToMemory(memory, current);
    }
    return current;
  };

  test("is what it was after others that have no stacking, marks or places of their own", () => {
    const combined = {
      ...start,
      ...{ splitBy: null, splitColors: {}, stacking: "none" as const, goal: 7 },
      series: [
        ...series("revenue"),
        { ...plainSeries("cost"), mark: "line" as const, axis: "right" as const },
      ],
    };
    for (const first of [start, combined]) {
      for (const away of [["line"], ["area", "line"], ["scatter"], ["pie", "number"]] as const)
        expect(goThrough(first, ...away, "bar"), away.join()).toEqual(shown(first));
    }
  });

  test("of points has its own columns, titles, formats and goal", () => {
    const points = goThrough({ ...start, splitBy: null, splitColors: {} }, "scatter");
    expect(points).toMatchObject({ category: "revenue", valueFormat: "auto", valueLabel: null, goal: null });
  });

  test("of a split chart as a pie has a slice for each value of the split", () => {
    expect(goThrough(start, "pie")).toMatchObject({ category: "team", series: series("revenue") });
  });

  test("keeps the other columns of a chart that was a pie meanwhile", () => {
    const two = { ...start, splitBy: null, splitColors: {}, series: series("revenue", "cost") };
    const pie = changeType(remember(two), "pie", sample);
    expect(pie.series).toEqual(series("revenue"));
    const changed = addToMemory(remember(two), { ...pie, series: series("cost") });
    expect(changeType(changed, "bar", sample).series).toEqual(series("cost"));
    expect(changeType(addToMemory(remember(two), pie), "bar", sample).series).toEqual(two.series);
  });
});

test("a chart is named after its columns", () => {
  const line = { ...plainSettings, type: "line" as const, category: "month" };
  expect(suggestTitle({ ...line, series: series("revenue") })).toBe("Revenue by month");
  expect(suggestTitle({ ...line, series: series("revenue"), splitBy: "sales_team" })).toBe(
    "Revenue by month and sales team",
  );
  expect(suggestTitle({ ...line, series: series("unit_price", "sold") })).toBe(
    "Unit price and sold by month",
  );
  expect(suggestTitle({ ...line, series: series("web", "app", "store") })).toBe("Web by month");
  const number = { ...plainSettings, type: "number" as const, category: null };
  expect(suggestTitle({ ...number, series: series("average order") })).toBe("Average order");
  expect(suggestTitle({ ...plainSettings, type: "table", series: [] })).toBeUndefined();
});
