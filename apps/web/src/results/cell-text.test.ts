import { describe, expect, test } from "vitest";
import { cellText } from "./cell-text.ts";
import { formatTick, formatValue } from "./value-formats.ts";

describe("a cell", () => {
  test.each([
    ["9007199254740993", "integer", "9,007,199,254,740,993"],
    ["-1234567.1000", "decimal", "-1,234,567.1000"],
    [1234.5, "number", "1,234.5"],
    ["1e400", "number", "1e400"],
    ["NaN", "number", "NaN"],
    [true, "boolean", "true"],
    [{ a: [1] }, "json", '{"a":[1]}'],
    ["2026-01-31", "date", "2026-01-31"],
    ["2026-01-31T10:00:00.123456", "timestamp", "2026-01-31 10:00:00.123456"],
    ["  two spaces", "string", "  two spaces"],
  ] as const)("shows %j of type %s in full", (value, type, text) => {
    expect(cellText(value, type)).toBe(text);
  });
});

describe("a format", () => {
  test.each([
    ["0.125", "percent", "12.5%"],
    [1_234_000, "compact", "1.2M"],
    ["12.5", "eur", "€12.50"],
    ["2026-03-01", "month", "Mar 2026"],
    ["2026-03-01", "date", "Mar 1, 2026"],
    ["not a date", "date", "not a date"],
    ["abc", "number", "abc"],
    [null, "number", ""],
    [3, "month", "3"],
    ["2026-03-01T00:00:00", "auto", "2026-03-01"],
    ["2026-03-01T09:30:00Z", "auto", "2026-03-01 09:30:00Z"],
    ["The 2026-03-01T00:00:00", "auto", "The 2026-03-01T00:00:00"],
  ] as const)("writes %j as %s", (value, format, text) => {
    expect(formatValue(value, format)).toBe(text);
  });
});

test.each([
  [1_050_000, "1.05M"],
  [350_000, "350K"],
  [0, "0"],
  ["1500", "1.5K"],
])("%j beside an axis is %s", (value, text) => {
  expect(formatTick(value)).toBe(text);
});
