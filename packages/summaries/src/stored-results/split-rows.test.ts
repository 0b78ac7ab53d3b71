import fc from "fast-check";
import { expect, test } from "vitest";
import { GroupRows, splitLimits } from "./operations.ts";
import type { ResultTable } from "./result-table.ts";
import { splitRows } from "./split-rows.ts";

const table = (rows: ResultTable["rows"]): ResultTable => ({
  fields: [
    { name: "manager", type: "string" },
    { name: "customer", type: "string" },
  ],
  rows,
  cut: false,
});

const split = { column: "manager", where: [], isAddress: true, maxGroups: 10 };

test("addresses that differ in case or spaces get one message, and empty ones none", () => {
  const rows = [
    ["Anna@example.test ", "a"],
    ["ben@example.test", "b"],
    ["anna@example.test", null],
    [null, "c"],
    [" ", "d"],
  ];
  expect(splitRows(table(rows), split)).toEqual({
    columns: ["manager", "customer"],
    groups: [
      {
        value: "anna@example.test",
        rowCount: 2,
        rows: JSON.stringify([
          ["Anna@example.test ", "a"],
          ["anna@example.test", null],
        ]),
      },
      { value: "ben@example.test", rowCount: 1, rows: '[["ben@example.test","b"]]' },
    ],
    groupCount: 2,
    emptyCount: 2,
  });
  const values = splitRows(table(rows), { ...split, isAddress: false });
  expect(values).toMatchObject({ groupCount: 4 });
});

test("long values that begin alike stay apart, and fit no address", () => {
  const long = "x".repeat(splitLimits.valueCharacters);
  const found = splitRows(
    table([
      [`${long}1`, "a"],
      [`${long}2`, "b"],
    ]),
    { ...split, isAddress: false },
  );
  expect(found).toMatchObject({
    groups: [
      { value: `${long}…`, rowCount: 1 },
      { value: `${long}…`, rowCount: 1 },
    ],
  });
});

test("no group has a row of another one, and what is left out is counted", () => {
  const cell = fc.oneof(
    fc.string({ unit: "binary", maxLength: 2_000 }),
    fc.constant(null),
    fc.double(),
    fc.bigInt().map(String),
  );
  const row = fc.tuple(fc.constantFrom("a", "b", "c", "", null), cell);
  fc.assert(
    fc.property(fc.array(row, { maxLength: 120 }), (rows) => {
      const found = splitRows(table(rows), { ...split, isAddress: false });
      if ("problem" in found) throw new Error(found.problem);
      let counted = found.emptyCount;
      for (const { value, rowCount, rows: json } of found.groups) {
        const own = rows.filter(([manager]) => manager === value);
        const kept = GroupRows.parse(JSON.parse(json));
        expect(rowCount).toBe(own.length);
        expect(kept).toEqual(
          own
            .slice(0, kept.length)
            .map((cells) =>
              cells.map((one) => (one === null ? null : typeof one === "string" ? one : JSON.stringify(one))),
            ),
        );
        expect(Buffer.byteLength(JSON.stringify(json))).toBeLessThan(splitLimits.groupBytes + 1_000);
        counted += rowCount;
      }
      expect(counted).toBe(rows.length);
    }),
    { numRuns: 50 },
  );
});

test("a truncated result is not split: somebody might get only some of their rows", () => {
  expect(splitRows({ ...table([["a", "b"]]), cut: true }, split)).toEqual({
    problem: "A limit truncated the result, so somebody might get only some of their rows.",
  });
});
