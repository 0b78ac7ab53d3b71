import { parseJsxConfig } from "@querybell/domain/jsx-config";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createFormats } from "./formats.ts";
import { writeJsxConfig } from "./settings-to-element.ts";
import {
  type ColumnSettings,
  columnsOf,
  ExactTotal,
  linkOf,
  type PivotSettings,
  pivot,
  plainColumn,
  plainTable,
  readTable,
  type TableSettings,
  totals,
  writeTable,
} from "./tables.ts";

const text = fc.string({ minLength: 1, unit: "binary" });
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });

const column: fc.Arbitrary<ColumnSettings> = fc.record({
  column: text,
  title: maybe(text),
  width: maybe(fc.integer()),
  isHidden: fc.boolean(),
  isPinned: fc.boolean(),
  format: fc.constantFrom("auto", "eur", "date" as const),
  decimals: maybe(fc.nat(20)),
  total: maybe(fc.constantFrom(...totals)),
  color: maybe(fc.constantFrom("scale", "bars" as const)),
  link: maybe(text),
});

const table: fc.Arbitrary<TableSettings> = fc.record({
  columns: fc.array(column, { maxLength: 4 }),
  pivot: maybe(
    fc.record({
      rows: fc.array(text, { minLength: 1, maxLength: 3 }),
      columns: maybe(text),
      values: maybe(text),
      aggregate: fc.constantFrom(...totals),
    }),
  ),
});

test("the text of a table says all that the builder can say", () => {
  fc.assert(
    fc.property(table, (settings) => {
      const element = writeTable(settings);
      expect(readTable(element && parseJsxConfig(writeJsxConfig(element)))).toEqual(settings);
    }),
  );
});

test("a table has its columns in the chosen order, pinned ones first, and new ones at the end", () => {
  const columns = [plainColumn("b"), plainColumn("gone"), { ...plainColumn("a"), isPinned: true }];
  expect(columnsOf({ columns }, ["a", "b", "new"]).map((one) => one.column)).toEqual(["a", "b", "new"]);
  expect(columnsOf(plainTable, ["a", "b"]).map((one) => one.column)).toEqual(["a", "b"]);
});

describe("a link", () => {
  test.each([
    ["https://shop.example/orders/{value}", "a b/c?d", "https://shop.example/orders/a%20b%2Fc%3Fd"],
    ["{value}", "https://shop.example/1", "https://shop.example/1"],
  ])("%s of %s is %s", (template, value, href) => {
    expect(linkOf(template, value)).toBe(href);
  });

  test.each([
    ["{value}", "javascript:alert(1)"],
    ["{value}", "data:text/html,x"],
    ["javascript:{value}", "alert(1)"],
    ["/relative/{value}", "1"],
    ["{value}", ""],
  ])("%s of %s is none: it leads to the web only", (template, value) => {
    expect(linkOf(template, value)).toBeUndefined();
  });
});

describe("a total", () => {
  const totalOf = (values: unknown[], total: (typeof totals)[number]) => {
    const exact = new ExactTotal();
    for (const value of values) exact.add(value);
    return exact.read(total);
  };

  test("has every digit", () => {
    const values = ["9007199254740993", "0.10", 0.2, null, "-1e-3", "1e3"];
    expect(totalOf(values, "sum")).toBe("9007199254741993.299");
    expect(totalOf(values, "minimum")).toBe("-0.001");
    expect(totalOf(values, "maximum")).toBe("9007199254740993");
    expect(totalOf(values, "count")).toBe(5);
    expect(totalOf([1, 2, 2], "average")).toBe("1.6667");
    expect(totalOf([null, "x"], "sum")).toBeNull();
  });

  test("of whole numbers is their sum, whatever they are", () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt(), { minLength: 1 }), (values) => {
        const sum = values.reduce((one, other) => one + other, 0n);
        expect(totalOf(values.map(String), "sum")).toBe(String(sum));
      }),
    );
  });
});

describe("a pivot table", () => {
  const formats = createFormats({ locale: "en", timeZone: "UTC" });
  const fields = [
    { name: "region", type: "string" as const },
    { name: "year", type: "integer" as const },
    { name: "sold", type: "decimal" as const },
  ];
  const rows = [
    ["North", 2026, "0.10"],
    ["North", 2025, "5"],
    ["South", 2025, "7"],
    ["North", 2026, "0.20"],
    ["South", null, null],
  ];

  test("has a row and a column for each value, with exact sums", () => {
    const made = pivot(
      { fields, rows },
      { rows: ["region"], columns: "year", values: "sold", aggregate: "sum" },
      formats,
    );
    expect(made.fields.map(({ name }) => name)).toEqual(["region", "2025", "2026", "No value"]);
    expect(made.rows).toEqual([
      ["North", "5", "0.30", null],
      ["South", "7", null, null],
    ]);
  });

  test("counts rows without a column of values", () => {
    const settings: PivotSettings = { rows: ["region"], columns: null, values: null, aggregate: "sum" };
    const made = pivot({ fields, rows }, settings, formats);
    expect(made.fields).toEqual([fields[0], { name: "Rows", type: "integer" }]);
    expect(made.rows).toEqual([
      ["North", 3],
      ["South", 2],
    ]);
  });

  test("has months in its headings as axes have them, and keeps their names for settings", () => {
    const values = ["2026-09-01T00:00:00", null, "2026-10-01T00:00:00"];
    const made = pivot(
      { fields: [{ name: "month", type: "timestamp" }], rows: values.map((value) => [value]) },
      { rows: [], columns: "month", values: null, aggregate: "count" },
      formats,
    );
    expect(made.fields.map(({ name, heading }) => [name, heading])).toEqual([
      ["2026-09-01", "Sep 2026"],
      ["2026-10-01", "Oct 2026"],
      ["No value", undefined],
    ]);
  });
});
