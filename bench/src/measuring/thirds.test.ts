import { expect, test } from "vitest";
import { compareThirds, hasGrown } from "./thirds.ts";

const tolerance = { factor: 1.05, plus: 10 };
const noise = (at: number) => (at * 7919) % 13;
const isGrowing = (valueAt: (at: number) => number, count = 120) =>
  hasGrown(compareThirds(Array.from({ length: count }, (_, at) => valueAt(at))), tolerance);

test("what grows steadily is told apart from a warm-up, from noise and from a single peak", () => {
  expect(isGrowing((at) => 1000 + 5 * at)).toBe(true);
  expect(isGrowing((at) => 1000 + noise(at))).toBe(false);
  expect(isGrowing((at) => (at < 40 ? 10 * at : 1000) + noise(at))).toBe(false);
  expect(isGrowing((at) => (at === 100 ? 9000 : 1000))).toBe(false);
});

test("too few values prove nothing", () => {
  expect(isGrowing(() => 1000, 2)).toBe(true);
});
