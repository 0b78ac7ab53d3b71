import { expect, test } from "vitest";
import { layOutLegend } from "./legend.ts";
import { textWidth } from "./text-width.ts";

const draw = (names: readonly string[], width: number) => {
  const items = names.map((name) => ({ name, color: "#112233" }));
  const nodes = layOutLegend(items, { left: 0, width, color: "#000000" }).draw(0);
  for (const node of nodes) {
    if (node.kind === "text") expect(node.x + textWidth(node.text, node.size)).toBeLessThanOrEqual(width);
  }
  return nodes.flatMap((node) => (node.kind === "text" ? [node.text] : []));
};

test("a legend of nine long names has all of them on a phone, each different", () => {
  const names = [..."ABCDEFGHI"].map((letter) => `Customers of the northern sales region ${letter}`);
  const texts = draw(names, 300);
  expect(texts).toHaveLength(9);
  expect(new Set(texts).size).toBe(9);
});

test("a legend says how many names have no room", () => {
  const names = Array.from({ length: 60 }, (_, index) => `Country ${index}`);
  const texts = draw(names, 300);
  expect(texts.at(-1)).toBe(`and ${60 - (texts.length - 1)} more`);
  expect(texts.length).toBeGreaterThan(8);
});
