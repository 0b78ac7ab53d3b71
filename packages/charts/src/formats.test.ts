import { describe, expect, test } from "vitest";
import { createFormats } from "./formats.ts";

const formats = createFormats({ locale: "en", timeZone: "Europe/Berlin" });

describe("a format", () => {
  test.each([
    ["0.125", "percent", "12.5%"],
    [12.5, "percentValue", "12.5%"],
    [1_234_000, "compact", "1.2M"],
    ["12.5", "eur", "€12.50"],
    ["9007199254740993.01", "number", "9,007,199,254,740,993.01"],
    ["2026-03-01", "month", "Mar 2026"],
    ["2026-08-01", "quarter", "Q3 2026"],
    ["2026-03-01", "date", "Mar 1, 2026"],
    ["2026-03-01T23:30:00Z", "datetime", "Mar 2, 2026, 12:30 AM UTC+1"],
    ["2026-07-01T23:30:00Z", "datetime", "Jul 2, 2026, 1:30 AM UTC+2"],
    ["2026-03-01T23:30:00", "datetime", "Mar 1, 2026, 11:30 PM"],
    ["2026-02-31", "date", "2026-02-31"],
    ["not a date", "date", "not a date"],
    ["abc", "number", "abc"],
    [null, "number", ""],
    [3, "month", "3"],
    ["2026-03-01T00:00:00", "auto", "2026-03-01"],
    ["2026-03-01T09:30:00Z", "auto", "2026-03-01 09:30:00Z"],
    ["The 2026-03-01T00:00:00", "auto", "The 2026-03-01T00:00:00"],
  ] as const)("writes %j as %s", (value, format, text) => {
    // Some versions of Unicode have a narrow space before AM.
    expect(formats.value(value, format).replace(/\u202f/g, " ")).toBe(text);
  });
});

test.each([
  [[0, 500_000, 1_000_000, 1_500_000], "eur", ["€0", "€500K", "€1M", "€1.5M"]],
  [[2_500_000, 2_550_000, 2_600_000], "auto", ["2.5M", "2.55M", "2.6M"]],
  [[0, 0.005, 0.01], "percent", ["0%", "0.5%", "1%"]],
  [[0, 20, 40], "percentValue", ["0%", "20%", "40%"]],
  [[0, 2000, 4000], "auto", ["0", "2,000", "4,000"]],
  [[0, 1e-9, 2e-9], "auto", ["0", "1E-9", "2E-9"]],
  [[0, 1e18, 2e18], "auto", ["0", "1E18", "2E18"]],
] as const)("the ticks %j as %s are short, exact and different", (ticks, format, texts) => {
  expect(formats.ticks(ticks, format)).toEqual(texts);
});

test.each([
  [0.125, "percent", "12.5%"],
  ["0.123456", "percent", "12.3456%"],
  [0.150_000_000_000_000_02, "percent", "15% (0.15000000000000002)"],
  [33.333_333_333_333_336, "percentValue", "33.33% (33.333333333333336)"],
  ["0.1234567890123456789012345", "number", "0.1234567890123456789012345"],
  ["1234567.891", "eur", "€1,234,567.891"],
] as const)("beside the pointer, %j as %s has every digit: %s", (value, format, text) => {
  expect(formats.exact(value, format)).toBe(text);
});
