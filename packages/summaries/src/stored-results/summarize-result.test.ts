import type { Field } from "@querybell/domain";
import type { JsonValue } from "@querybell/domain/results";
import { expect, test } from "vitest";
import { summarizeResult } from "./summarize-result.ts";

const summarize = (type: Field["type"], cells: JsonValue[]) =>
  summarizeResult({ fields: [{ name: "c", type }], rows: cells.map((cell) => [cell]), cut: false })
    .columns[0];

test("numbers are added and compared with all their digits", () => {
  expect(summarize("decimal", ["0.10", "0.2", "0.1", null])).toEqual({
    name: "c",
    type: "decimal",
    nulls: 1,
    distinct: 2,
    minimum: "0.1",
    maximum: "0.2",
    sum: "0.4",
    notFinite: 0,
    isCut: false,
  });
  expect(summarize("integer", ["9007199254740993", 1])).toMatchObject({
    minimum: "1",
    maximum: "9007199254740993",
    sum: "9007199254740994",
  });
  expect(summarize("number", [0.1, 0.2, -1e21])).toMatchObject({
    minimum: "-1000000000000000000000",
    maximum: "0.2",
    sum: "-999999999999999999999.7",
  });
});

test("a column with NaN has no sum and no extremes, and says how many cells are not finite", () => {
  expect(summarize("number", ["NaN", 1])).toMatchObject({
    minimum: null,
    maximum: null,
    sum: null,
    notFinite: 1,
  });
});

test("times are ordered by time, and not compared where their texts are not in that order", () => {
  expect(summarize("timestamp", ["2026-01-01T10:00:00.5Z", "2026-01-01T10:00:00Z"])).toMatchObject({
    minimum: "2026-01-01T10:00:00Z",
    maximum: "2026-01-01T10:00:00.5Z",
    sum: null,
  });
  expect(summarize("date", ["+012026-01-01", "2026-01-01"])).toMatchObject({ minimum: null, maximum: null });
  expect(summarize("time", ["10:00:00+02:00", "09:00:00"])).toMatchObject({ minimum: null, maximum: null });
});

test("texts have extremes, nested values and empty columns have none", () => {
  expect(summarize("string", ["pear", "apple", "pear"])).toMatchObject({
    minimum: "apple",
    maximum: "pear",
    distinct: 2,
  });
  expect(summarize("string", ["a", "b".repeat(101)])).toMatchObject({
    minimum: "a",
    maximum: `${"b".repeat(100)}…`,
    isCut: true,
  });
  expect(summarize("json", [{ a: 1 }, { a: 1 }])).toMatchObject({ minimum: null, distinct: 1 });
  expect(summarize("integer", [null])).toMatchObject({ nulls: 1, distinct: 0, sum: null });
});
