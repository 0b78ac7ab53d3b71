import { expect, test } from "vitest";
import { isEnter } from "./is-enter.ts";

test.each([
  ["Enter", false, 13, true],
  ["a", false, 65, false],
  ["Enter", true, 229, false],
  ["Enter", true, 13, false],
  // Safari, after the word was confirmed.
  ["Enter", false, 229, false],
])("%s, composing %s, code %s: is Enter %s", (key, isComposing, keyCode, expected) => {
  expect(isEnter({ key, keyCode, nativeEvent: { isComposing } })).toBe(expected);
});
