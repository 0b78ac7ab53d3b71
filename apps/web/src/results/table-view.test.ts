import { plainColumn } from "@querybell/charts/tables";
import { describe, expect, test } from "vitest";
import { shownText } from "./cell-text.ts";
import { columnWidths } from "./column-widths.ts";
import { localResult } from "./local-result.ts";
import { viewOf } from "./table-view.ts";
import type { TextWidths } from "./text-widths.ts";

const fields = [
  { name: "city", type: "string" as const },
  { name: "sold", type: "decimal" as const },
  { name: "note", type: "string" as const },
];
const rows = [
  ["Bern", "9007199254740993.10", "x".repeat(400)],
  ["Aarau", "2.05", null],
  ["Chur", null, "z"],
];
const result = localResult({ fields, rows }, { runId: "run", state: "current" });

describe("a table with settings", () => {
  const view = viewOf(result, {
    columns: [
      { ...plainColumn("sold"), title: "Sold", format: "eur", total: "sum" },
      { ...plainColumn("note"), isHidden: true },
      { ...plainColumn("city"), isPinned: true },
    ],
    pivot: null,
  });

  test("has the chosen columns in their order, pinned ones first", async () => {
    expect([view.pinned, view.fields.map(({ name }) => name)]).toEqual([1, ["city", "sold"]]);
    expect(await view.rows(1, 2)).toEqual([["Aarau", "2.05"]]);
    const [, sold] = view.fields;
    expect(sold && shownText("9007199254740993.10", sold)).toBe("€9,007,199,254,740,993.10");
  });

  test("is sorted by its own columns, and adds up the rows that match the filter", async () => {
    const sum = () => view.totals([{ column: 1, total: "sum" }]);
    expect(await view.sortAndFilter({ sort: { column: 1, descending: false }, filter: "a" })).toBe(1);
    expect(await sum()).toEqual(["2.05"]);
    expect(await view.sortAndFilter({ sort: { column: 0, descending: true }, filter: "" })).toBe(3);
    expect(await view.rows(0, 1)).toEqual([["Chur", null]]);
    expect(await sum()).toEqual(["9007199254740995.15"]);
    // While the scroll bar is dragged, the same texts.
    expect((await view.lines(0, 1)).texts).toEqual(["Chur", "NULL"]);
  });
});

test("a column of numbers is as wide as the widest of all rows and its total, one of texts up to a limit", () => {
  // Ten pixels for each letter.
  const letters = { widthOf: (text: string) => text.length * 10 } as TextWidths;
  const totals = [undefined, "Sum 123456789012345678901234567890123456789", undefined];
  const [, sold, note] = columnWidths(fields, { longest: result.longest, totals }, letters);
  expect(sold?.initial).toBeGreaterThan(430);
  expect(sold?.least).toBe(sold?.initial);
  expect([note?.initial, note?.least]).toEqual([360, 56]);
});

test("a column has the width that was chosen, but numbers are never cut", () => {
  const letters = { widthOf: (text: string) => text.length * 10 } as TextWidths;
  const { fields: shown, longest } = viewOf(result, {
    columns: ["city", "sold", "note"].map((name) => ({ ...plainColumn(name), width: 100 })),
    pivot: null,
  });
  const widths = columnWidths(shown, { longest, totals: undefined }, letters).map(({ initial }) => initial);
  expect(widths).toEqual([100, "9,007,199,254,740,993.10".length * 10 + 24, 100]);
});

test("the widest number decides also if another one has more digits without the format", () => {
  const letters = { widthOf: (text: string) => text.length * 10 } as TextWidths;
  const numbers = [["0.3333333333333333"], ["0.333333333333333"], ["0.33333333333333"], ["1234567.5"]];
  const one = localResult(
    { fields: [{ name: "sold", type: "decimal" }], rows: numbers },
    { runId: "run", state: "current" },
  );
  const view = viewOf(one, { columns: [{ ...plainColumn("sold"), decimals: 2 }], pivot: null });
  const [sold] = columnWidths(view.fields, { longest: view.longest, totals: undefined }, letters);
  expect(sold?.least).toBe("1,234,567.50".length * 10 + 24);
});
