import { expect, test } from "vitest";
import { findPageNumber, textsOfPages, toFilterValues } from "./choices.ts";

const choices = [
  { name: "region", values: ["", "north", "south"] },
  { name: "year", values: ["2025", "2026"] },
];

test("every combination of published values has a page, which is found by them", () => {
  const pages = textsOfPages(choices);
  expect(pages).toHaveLength(6);
  expect(pages[0]).toEqual({ region: "", year: "2025" });
  for (const [number, texts] of pages.entries()) {
    expect(findPageNumber(choices, Object.entries(texts))).toBe(number);
  }
  expect(pages.map(toFilterValues)).toContainEqual({ year: "2025" });
  expect(textsOfPages([])).toEqual([{}]);
});

test("what a visitor does not choose has its first value", () => {
  expect(findPageNumber(choices, [])).toBe(0);
  expect(findPageNumber(choices, [["region", "south"]])).toBe(4);
  expect(findPageNumber([], [])).toBe(0);
});

test("no page is found for a value or a name that is not published, or one that is given twice", () => {
  for (const chosen of [
    [["region", "east"]],
    [["region", "North"]],
    [["customer", "17"]],
    [["__proto__", "north"]],
    [
      ["region", "north"],
      ["region", "south"],
    ],
    [
      ["region", "north"],
      ["region", "north"],
    ],
  ] as const) {
    expect(findPageNumber(choices, chosen), JSON.stringify(chosen)).toBeUndefined();
  }
  expect(findPageNumber([], [["region", "north"]])).toBeUndefined();
});
