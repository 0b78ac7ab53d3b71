import fc from "fast-check";
import { expect, test } from "vitest";
import { fitNames } from "./fit-names.ts";
import { textWidth } from "./text-width.ts";

test("names that fit, or differ where they begin, are read from their beginning", () => {
  expect(fitNames(["North", "South"], 130, 12)).toEqual(["North", "South"]);
  const [chair, desk] = fitNames(
    ["Ergonomic office chair with armrests", "Standing desk of oak, 160 cm"],
    130,
    12,
  );
  expect(chair).toMatch(/^Ergonomic office.*…$/);
  expect(desk).toMatch(/^Standing desk.*…$/);
});

test("names that differ at their end keep it", () => {
  const names = ["Customers of the northern region, retail", "Customers of the northern region, wholesale"];
  expect(fitNames(names, 130, 12)).toEqual(["Customers…on, retail", "Customers…wholesale"]);
});

test("names that differ in their middle show where", () => {
  const names = ["a", "b"].map((one) => `${"Beginning ".repeat(5)}${one} ${"ending ".repeat(9)}`);
  const [first, second] = fitNames(names, 130, 12);
  expect(first).toMatch(/^Begin.*…ng a ending/);
  expect(second).toMatch(/^Begin.*…ng b ending/);
});

test("different names with a long beginning and end in common are different texts within the room", () => {
  const names = fc
    .tuple(
      fc.string({ maxLength: 60 }),
      fc.uniqueArray(fc.stringMatching(/^[a-z]{1,3}$/), { minLength: 2 }),
      fc.string({ maxLength: 60 }),
    )
    .map(([start, middles, end]) => middles.map((middle) => `${start}${middle}${end}`));
  fc.assert(
    fc.property(names, (given) => {
      const texts = fitNames(given, 130, 12);
      for (const text of texts) expect(textWidth(text, 12)).toBeLessThanOrEqual(130);
      expect(new Set(texts).size).toBe(new Set(given).size);
    }),
  );
});
