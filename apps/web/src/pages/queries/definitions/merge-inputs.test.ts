import { expect, test } from "vitest";
import { changedByBoth, mergeDraft, mergeInputs } from "./merge-inputs.ts";

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
  const draft = { ...mine, base: { ...base, version: 1 } };
  expect(mergeDraft(draft, { ...theirs, version: 2 })).toEqual({
    ...mergeInputs({ base, mine, theirs }),
    base: { ...theirs, version: 2 },
  });
  expect(changedByBoth(draft, { ...theirs, version: 2 })).toEqual([]);
});

test("a placeholder that the others do not define stays defined for its choices", () => {
  const plain = { ...define("a"), type: "string" as const };
  const base = { definitions: [plain], choices: {}, ranges: [], version: 0 };
  const draft = { ...base, choices: { a: list("1") }, base };
  const theirs = { definitions: [define("b")], choices: {}, ranges: [], version: 1 };
  expect(changedByBoth(draft, theirs)).toEqual([]);
  expect(mergeDraft(draft, theirs)).toMatchObject({
    definitions: [plain, define("b")],
    choices: { a: list("1") },
    base: { version: 1 },
  });
});

test("what both have changed is named, unless both made it the same", () => {
  const inputs = (...definitions: ReturnType<typeof define>[]) => ({ definitions, choices: {}, ranges: [] });
  const mine = { ...inputs(define("a", "Mine"), define("b", "Same")), base: null };
  const theirs = { ...inputs(define("a", "Theirs"), define("b", "Same"), define("c")), version: 1 };
  expect(changedByBoth(mine, theirs)).toEqual(["a"]);
  expect(mergeDraft(mine, theirs).definitions).toEqual([
    define("a", "Mine"),
    define("b", "Same"),
    define("c"),
  ]);
});
