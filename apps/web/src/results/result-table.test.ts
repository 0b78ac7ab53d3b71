import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ResultTable, storedOrder } from "./result-table.ts";

const table = (type: "integer" | "decimal" | "string", values: unknown[]) =>
  new ResultTable({ fields: [{ name: "v", type }], rows: values.map((value) => [value]) });

const sorted = (of: ResultTable, descending = false) => {
  of.sortAndFilter({ sort: { column: 0, descending }, filter: "" });
  return of.slice(0, of.rowCount).map(([value]) => value);
};

describe("rows", () => {
  test("are sorted exactly, beyond what a number holds", () => {
    const values = ["9007199254740993", 2, "9007199254740992", null, -1, "9007199254740994"];
    expect(sorted(table("integer", values))).toEqual([
      ...[-1, 2, "9007199254740992", "9007199254740993", "9007199254740994"],
      null,
    ]);
    expect(sorted(table("decimal", ["1.10", "1.1000000000000000001", "1.09"]), true)).toEqual([
      ...["1.1000000000000000001", "1.10", "1.09"],
    ]);
  });

  test("without a value come last in both directions, equal ones stay in their order", () => {
    const of = new ResultTable({
      fields: [
        { name: "v", type: "string" },
        { name: "n", type: "integer" },
      ],
      rows: [
        ["b", 1],
        [null, 2],
        ["a", 3],
        ["b", 4],
      ],
    });
    of.sortAndFilter({ sort: { column: 0, descending: true }, filter: "" });
    expect(of.slice(0, 4).map(([, n]) => n)).toEqual([1, 4, 3, 2]);
  });

  test("are found by any text in any column, and are all back after that", () => {
    const of = table("string", ["Apple", "pear", null, "pineapple"]);
    expect(of.sortAndFilter({ sort: null, filter: " APPLE " })).toBe(2);
    expect(of.slice(0, 10)).toEqual([["Apple"], ["pineapple"]]);
    expect(of.sortAndFilter(storedOrder)).toBe(4);
    expect(of.slice(1, 2)).toEqual([["pear"]]);
  });

  test("of 64 bits are sorted as their numbers are", () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })), (numbers) => {
        const expected = numbers.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)).map(String);
        expect(sorted(table("integer", numbers.map(String)))).toEqual(expected);
      }),
    );
  });
});

test("the longest numbers are those with the most digits and separators on the page", () => {
  const longest = table("decimal", ["0.123456", "12345678", "1"]).extremes().longest[0];
  expect(longest?.[0]).toBe("12345678");
});
