import { describe, expect, test } from "vitest";
import { moveSelection, rangeOf, toTabbedText } from "./grid-selection.ts";

const size = { rows: 100, columns: 4, page: 20 };
const at = (row: number, column: number) => ({ active: { row, column }, anchor: { row, column } });
const press = (key: string, { shift = false, ctrl = false } = {}) => ({
  key,
  shiftKey: shift,
  ctrlKey: ctrl,
  metaKey: false,
  altKey: false,
});

describe("in the grid", () => {
  test.each([
    ["ArrowDown", {}, { row: 6, column: 1 }],
    ["PageDown", {}, { row: 25, column: 1 }],
    ["PageUp", {}, { row: 0, column: 1 }],
    ["Home", {}, { row: 5, column: 0 }],
    ["End", { ctrl: true }, { row: 99, column: 3 }],
    ["ArrowLeft", { ctrl: true }, { row: 5, column: 0 }],
  ])("%s with %j leads to another cell", (key, modifiers, active) => {
    expect(moveSelection(at(5, 1), press(key, modifiers), size)?.active).toEqual(active);
  });

  test("shift holds the other end of the range", () => {
    const once = moveSelection(at(5, 1), press("ArrowDown", { shift: true }), size) ?? at(0, 0);
    const twice = moveSelection(once, press("ArrowLeft", { shift: true }), size) ?? at(0, 0);
    expect(rangeOf(twice)).toEqual({ top: 5, bottom: 6, left: 0, right: 1 });
  });

  test("Ctrl-A takes all of it, and a letter nothing", () => {
    const all = moveSelection(at(5, 1), press("a", { ctrl: true }), size) ?? at(0, 0);
    expect(rangeOf(all)).toEqual({ top: 0, bottom: 99, left: 0, right: 3 });
    expect(moveSelection(at(5, 1), press("x"), size)).toBeUndefined();
  });

  test("cells are copied as spreadsheets take them", () => {
    expect(
      toTabbedText([
        ["a\tb", 1, null],
        ['say "hi"', { x: 1 }, "two\nlines"],
      ]),
    ).toBe('"a\tb"\t1\t\n"say ""hi"""\t"{""x"":1}"\t"two\nlines"');
  });
});
