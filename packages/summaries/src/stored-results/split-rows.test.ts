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
        expect(Buffer.byteLength(JSON.stringify(json))).toBeLessThanOrEqual(splitLimits.groupBytes);
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

test("each group has as many rows as fit; if all together do not, only the largest have fewer", () => {
  const rowsOf = (manager: string, count: number, letters: number) =>
    Array.from({ length: count }, () => [manager, "x".repeat(letters)]);
  const small = Array.from({ length: 40 }, (_, index) => rowsOf(`small ${index}`, 2, 100)).flat();
  const counts = (rows: ResultTable["rows"]) => {
    const found = splitRows(table(rows), { ...split, maxGroups: splitLimits.groups, isAddress: false });
    if ("problem" in found) throw new Error(found.problem);
    const bytes = found.groups.reduce((sum, group) => sum + Buffer.byteLength(JSON.stringify(group.rows)), 0);
    expect(bytes).toBeLessThanOrEqual(splitLimits.allBytes);
    return found.groups.map(({ rowCount, rows: json }) => [
      rowCount,
      GroupRows.parse(JSON.parse(json)).length,
    ]);
  };
  expect(counts([...small, ...rowsOf("large", 60, 1_000)]).at(-1)).toEqual([60, 60]);
  expect(counts([...small, ...rowsOf("large", 70, 1_000)]).at(-1)).toEqual([70, 62]);
  const large = Array.from({ length: 60 }, (_, index) => rowsOf(`large ${index}`, 60, 1_000)).flat();
  const kept = counts([...small, ...large, ...rowsOf("long", 1, 60_000)]);
  expect(kept.slice(0, 40)).toEqual(Array(40).fill([2, 2]));
  expect(kept.at(-1)).toEqual([1, 1]);
  for (const [, count = 0] of kept.slice(40, -1)) expect(count).toBeGreaterThan(35);
});

test("a row that fits into no message, or first rows that do not fit together, are a problem", () => {
  const first = (letters: number, groups: number): ResultTable["rows"] =>
    Array.from({ length: groups }, (_, index) => [`${index}`, "x".repeat(letters)]);
  const problem = (rows: ResultTable["rows"]) =>
    splitRows(table(rows), { ...split, maxGroups: splitLimits.groups });
  expect(problem(first(65_000, 1))).toEqual({ problem: expect.stringContaining("at most 64 KB") });
  expect(problem(first(60_000, 60))).toEqual({ problem: expect.stringContaining("at most 2.5 MB") });
  expect(problem(first(4_800, 500))).toMatchObject({ groupCount: 500 });
});

test("the columns count for each message, since each has them", () => {
  const names = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(200, "x"));
  const wide: ResultTable = {
    ...{ fields: ["manager", ...names.slice(1)].map((name) => ({ name, type: "string" })), cut: false },
    rows: Array.from({ length: 200 }, () => ["a", ...names.slice(1)]),
  };
  const found = splitRows(wide, split);
  if ("problem" in found) throw new Error(found.problem);
  const [group] = found.groups;
  const sent = JSON.stringify({ columns: found.columns, rows: JSON.parse(group?.rows ?? "") });
  expect(sent.length).toBeLessThan(splitLimits.groupBytes);
  expect(GroupRows.parse(JSON.parse(group?.rows ?? ""))).toHaveLength(2);
});
