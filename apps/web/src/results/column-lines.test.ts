import type { Field } from "@querybell/domain";
import fc from "fast-check";
import { expect, test } from "vitest";
import { linesBetween, toColumnLines } from "./column-lines.ts";

const fields: Field[] = [
  { name: "n", type: "integer" },
  { name: "text", type: "string" },
];

test("rows become a line for each, in every column", () => {
  const lines = toColumnLines(fields, [
    [1234567, "a\nb"],
    [null, ""],
    ["9007199254740993", "x".repeat(500)],
  ]);
  expect(lines.texts).toEqual(["1,234,567\nNULL\n9,007,199,254,740,993", `a b\n\n${"x".repeat(120)}`]);
});

test("any of them are cut out of their block", () => {
  const row = fc.tuple(fc.option(fc.integer()), fc.option(fc.string()));
  const rowsAndRange = fc
    .array(row, { minLength: 1 })
    .chain((rows) => fc.tuple(fc.constant(rows), fc.nat(rows.length - 1), fc.nat(rows.length - 1)));
  fc.assert(
    fc.property(rowsAndRange, ([rows, a, b]) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b) + 1];
      const lines = toColumnLines(fields, rows);
      const cut = toColumnLines(fields, rows.slice(from, to));
      expect(fields.map((_, column) => linesBetween(lines, column, [from, to]))).toEqual(cut.texts);
    }),
  );
});
