import type { ParameterType, ParameterValue } from "@querybell/domain";
import { expect, test } from "vitest";
import { toArgument } from "../parameters/resolve-values.ts";
import { sampleDialect } from "../testing/sample-dialect.ts";
import { compileStatement } from "./compile-statement.ts";
import type { Slot } from "./dialect.ts";
import { parseStatement } from "./statement.ts";

const tooLarge = expect.objectContaining({ code: "statement_too_large" });

function compile(sql: string, type: ParameterType, value: ParameterValue) {
  return compileStatement(parseStatement(sql, sampleDialect), new Map([["a", toArgument(type, value)]]));
}

const uses = (count: number) => `SELECT ${Array(count).fill("{{a}}").join(",")}`;
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

test.each<[what: string, run: () => unknown]>([
  ["too many tokens", () => parseStatement(`SELECT 1${",1".repeat(25_000)}`, sampleDialect)],
  ["too many placeholders", () => parseStatement(uses(1001), sampleDialect)],
  [
    "too many placeholders in a string",
    () => parseStatement(`SELECT '${"{{a}}".repeat(1001)}'`, sampleDialect),
  ],
  ["too many names", () => parseStatement(`SELECT ${numbers(101).map((i) => `{{a${i}}}`)}`, sampleDialect)],
  ["a long value that is used often", () => compile(uses(6), "string", "x".repeat(100_000))],
  [
    "a long value that is often in a string",
    () => compile(`SELECT '${"{{a}}".repeat(6)}'`, "string", "x".repeat(100_000)),
  ],
  ["a list that is used often", () => compile(uses(3), "integer[]", numbers(10_000))],
  // Each quote is written twice, and each backslash too.
  ["values that grow when they are quoted", () => compile(uses(5), "string", "'\\".repeat(50_000))],
])("a statement with %s is refused", (_, run) => {
  expect(run).toThrow(tooLarge);
});

test("a value is never copied more often than the limits allow, however often it is used", () => {
  const value = "x".repeat(100_000);
  const copied: string[] = [];
  const { slots } = sampleDialect;
  const render = (slot: Slot) => {
    copied.push(slot.value.text);
    return slots.render(slot);
  };
  const statement = parseStatement(uses(1000), { ...sampleDialect, slots: { ...slots, render } });
  expect(() => compileStatement(statement, new Map([["a", toArgument("string", value)]]))).toThrow(tooLarge);
  expect(copied).toEqual([]);
});

test("a statement up to the limits is compiled", () => {
  const { values, renderedSql } = compile(uses(2), "integer[]", numbers(10_000));
  expect(values).toHaveLength(20_000);
  expect(renderedSql.length).toBeGreaterThan(100_000);
  expect(compile(uses(5), "string", "x".repeat(100_000)).values).toHaveLength(5);
  expect(parseStatement(`SELECT 1${",1".repeat(24_000)}`, sampleDialect).tokens).toHaveLength(48_003);
});
