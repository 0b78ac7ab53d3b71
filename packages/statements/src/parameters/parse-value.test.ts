import type { ParameterType } from "@querybell/domain";
import { describe, expect, test } from "vitest";
import { parseStatement } from "../placeholders/statement.ts";
import { sampleDialect } from "../testing/sample-dialect.ts";
import { parseDefaultValue, parseParameterValue } from "./parse-value.ts";
import { resolveValues } from "./resolve-values.ts";

// A Thursday.
const clock = { now: () => new Date("2024-02-29T13:45:10.250Z") };
const context = (type: ParameterType) => ({ name: "p", type, clock });

describe("a value", () => {
  test.each<[ParameterType, unknown, unknown]>([
    ["string", "", ""],
    ["integer", 42, 42],
    ["integer", "-42", -42],
    ["integer", "9223372036854775807", "9223372036854775807"],
    ["integer", "-9223372036854775808", "-9223372036854775808"],
    ["integer", "9007199254740991", 9007199254740991],
    ["number", 0.1, 0.1],
    ["number", "-1e3", -1000],
    ["number", -0, 0],
    ["boolean", "false", false],
    ["date", "2024-02-29", "2024-02-29"],
    ["timestamp", "2024-02-29", "2024-02-29T00:00:00Z"],
    ["timestamp", "2024-02-29 10:00", "2024-02-29T10:00:00Z"],
    ["timestamp", "2024-02-29T10:00:00.123456+02:00", "2024-02-29T08:00:00.123456Z"],
    ["timestamp", "2024-02-29T10:00:00.500-0130", "2024-02-29T11:30:00.5Z"],
    ["string[]", ["a", "b,c"], ["a", "b,c"]],
    ["integer[]", [], []],
    ["number[]", ["1.5", 2], [1.5, 2]],
  ])("of the type %s reads %j as %j", (type, input, value) => {
    expect(parseParameterValue(context(type), input)).toEqual(value);
  });

  test.each<[ParameterType, unknown]>([
    ["string", 5],
    ["string", "a\0b"],
    ["string", "\ud800"],
    ["integer", 1.5],
    ["integer", 2 ** 53],
    ["integer", "9223372036854775808"],
    ["integer", "0x10"],
    ["integer", ""],
    ["number", Number.NaN],
    ["number", "Infinity"],
    ["number", ""],
    ["boolean", 1],
    ["date", "2023-02-29"],
    ["date", "29.02.2024"],
    ["date", "someday-3d"],
    ["timestamp", "2024-02-29T25:00:00Z"],
    ["timestamp", "2024-02-30T10:00:00Z"],
    ["string[]", "a"],
    ["integer[]", [1, "x"]],
    ["string", null],
  ])("of the type %s refuses %j and says what it takes", (type, input) => {
    expect(() => parseParameterValue(context(type), input)).toThrow(
      expect.objectContaining({
        code: "invalid_parameter_value",
        message: expect.stringMatching(/^\{\{p\}\} \(.+\) takes /),
      }),
    );
  });
});

describe("a default", () => {
  test.each<[ParameterType, string, unknown]>([
    ["date", "today", "2024-02-29"],
    ["date", "today-7d", "2024-02-22"],
    ["date", "Yesterday", "2024-02-28"],
    ["date", "week_start", "2024-02-26"],
    ["date", "month_start", "2024-02-01"],
    ["date", "month_start - 1m", "2024-01-01"],
    ["date", "month_start+1m-1d", "2024-02-29"],
    ["date", "today+1y", "2025-02-28"],
    ["date", "quarter_start-1q", "2023-10-01"],
    ["date", "year_start+2w", "2024-01-15"],
    ["timestamp", "today", "2024-02-29T00:00:00Z"],
    ["timestamp", "now-36h", "2024-02-28T01:45:10.25Z"],
    ["string", "today", "today"],
    ["string[]", "a, b", ["a", "b"]],
    ["string[]", '["a, b", "c"]', ["a, b", "c"]],
    ["string[]", "[draft], done", ["[draft]", "done"]],
    ["integer[]", " 1,2 ,3", [1, 2, 3]],
    ["integer[]", "", []],
  ])("of the type %s reads %j as %j", (type, text, value) => {
    expect(parseDefaultValue(context(type), text)).toEqual(value);
  });
});

describe("the values of a run", () => {
  const statement = parseStatement("SELECT {{b}}, {{a}}", sampleDialect);
  const definitions = [
    { name: "a", type: "integer" as const, defaultValue: "7", displayName: "", description: "" },
    { name: "b", type: "string" as const, displayName: "", description: "" },
    { name: "unused", type: "string" as const, displayName: "", description: "" },
  ];

  test("come from the caller first and the defaults second, in the order of their names", () => {
    const { parameterValues } = resolveValues(statement, {
      definitions,
      given: { b: "x", unused: "y" },
      clock,
    });
    expect(JSON.stringify(parameterValues)).toBe('{"a":7,"b":"x"}');
  });

  test("are refused when one is missing, unknown or has no definition", () => {
    const resolve = (given: Record<string, unknown>, known = definitions) =>
      resolveValues(statement, { definitions: known, given, clock });
    expect(() => resolve({})).toThrow(expect.objectContaining({ code: "missing_parameter_values" }));
    expect(() => resolve({ b: "x", c: 1 })).toThrow(
      expect.objectContaining({ code: "invalid_parameter_value" }),
    );
    expect(() => resolve({}, [])).toThrow(expect.objectContaining({ code: "unknown_placeholder" }));
  });

  test("are refused when a range ends before it starts, and only then", () => {
    const define = (name: string) => ({ name, type: "date" as const, displayName: "", description: "" });
    const ranges = [{ displayName: "Period", start: "a", end: "b", includesEnd: true }];
    const resolve = (a: string, b: string) =>
      resolveValues(statement, { definitions: [define("a"), define("b")], given: { a, b }, ranges, clock });
    expect(() => resolve("2026-01-02", "2026-01-01")).toThrow(
      expect.objectContaining({
        code: "invalid_parameter_value",
        errors: [{ path: "parameterValues.b", message: "is before the start of the range" }],
      }),
    );
    expect(resolve("2026-01-01", "2026-01-01").parameterValues).toEqual({ a: "2026-01-01", b: "2026-01-01" });
    resolve("tomorrow", "today");
    const other = parseStatement("SELECT {{a}}", sampleDialect);
    resolveValues(other, { definitions: [define("a")], given: { a: "2026-01-02" }, ranges, clock });
  });

  test("take nothing from an object's prototype", () => {
    const tricky = parseStatement("SELECT {{constructor}}", sampleDialect);
    const known = [{ name: "constructor", type: "string" as const, displayName: "", description: "" }];
    expect(() => resolveValues(tricky, { definitions: known, given: {}, clock })).toThrow(
      expect.objectContaining({ code: "missing_parameter_values" }),
    );
  });
});
