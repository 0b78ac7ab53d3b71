import { describe, expect, test } from "vitest";
import { cellText } from "./cell-text.ts";

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
    ["-000043-03-15T10:00:00Z", "timestamp", "-000043-03-15 10:00:00Z"],
    ["  two spaces", "string", "  two spaces"],
  ] as const)("shows %j of type %s in full", (value, type, text) => {
    expect(cellText(value, type)).toBe(text);
  });

  test.each([
    ["2026-01-31T10:00:07.123456Z", /\b1\/31\/2026, .*\b07\.123456\b/],
    ["2026-01-31T10:00:07Z", /\b1\/31\/2026, .*:07 /],
    ["9999-12-31T12:00:00.000001Z", /\/9999, .*\b00\.000001\b/],
    ["1900-01-31T10:00:00Z", /\/1900, /],
  ] as const)("shows the century and the fraction of the moment %s", (value, text) => {
    expect(cellText(value, "timestamp").replaceAll(/\s/g, " ")).toMatch(text);
  });
});
