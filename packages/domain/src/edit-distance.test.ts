import { expect, test } from "vitest";
import { editDistance } from "./edit-distance.ts";

test.each([
  ["prague", "prague", 0],
  ["pragu", "prague", 1],
  ["pprague", "prague", 1],
  ["drague", "prague", 1],
  ["pargue", "prague", 1],
  ["", "utc", 3],
  ["kitten", "sitting", 3],
])("from %j to %j it is %i", (from, to, distance) => {
  expect(editDistance(from, to, 3)).toBe(distance);
  expect(editDistance(to, from, 3)).toBe(distance);
});

test("it is infinite if the lengths differ by more than the maximum", () => {
  expect(editDistance("", "utc", 2)).toBe(Infinity);
});
