import { expect, test } from "vitest";
import { mergeInputs } from "./merge-inputs.ts";

const define = (name: string, displayName = name) => ({
  name,
  displayName,
  type: "date" as const,
  description: "",
});
const range = (start: string, end: string) => ({ displayName: "Period", start, end, includesEnd: true });
const list = (value: string) => ({ kind: "list" as const, items: [{ value }] });

test("changes of two people are both kept, and what one of them removed is gone", () => {
  const base = {
    definitions: [define("a"), define("b"), define("c"), define("d")],
    choices: { a: list("1"), b: list("2") },
    ranges: [range("c", "d")],
  };
  const mine = {
    definitions: [define("a", "Mine"), define("b"), define("c"), define("d")],
    choices: { a: list("mine"), b: list("2") },
    ranges: [],
  };
  const theirs = {
    definitions: [define("a"), define("b", "Theirs"), define("c"), define("d"), define("e")],
    choices: { a: list("1"), b: list("theirs"), e: list("5") },
    ranges: [range("c", "d")],
  };
  expect(mergeInputs({ base, mine, theirs })).toEqual({
    definitions: [define("a", "Mine"), define("b", "Theirs"), define("c"), define("d"), define("e")],
    choices: { a: list("mine"), b: list("theirs"), e: list("5") },
    ranges: [],
  });
});
