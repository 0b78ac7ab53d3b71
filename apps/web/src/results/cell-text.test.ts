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
    ["  two spaces", "string", "  two spaces"],
  ] as const)("shows %j of type %s in full", (value, type, text) => {
    expect(cellText(value, type)).toBe(text);
  });
});
