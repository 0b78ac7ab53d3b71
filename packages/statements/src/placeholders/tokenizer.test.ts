import { describe, expect, test } from "vitest";
import { findPlaceholders } from "./tokenizer.ts";

describe("while a statement is typed", () => {
  test.each([
    ["SELECT {{a}}, '{{b", ["a"]],
    ["SELECT {{a}}, '%{{b}}", ["a", "b"]],
    ["SELECT {{a}} /* {{b}}", ["a"]],
    ['SELECT {{a}} AS "{{b}}', ["a"]],
    ["SELECT {{a}}, {{", ["a"]],
    ["SELECT $$ {{a}}", ["a"]],
    ["SELECT {{b}}, {{a}}, {{ b }}", ["b", "a"]],
    ["", []],
  ])("its placeholders are known: %s", (sql, names) => {
    expect(findPlaceholders(sql)).toEqual(names);
  });
});
