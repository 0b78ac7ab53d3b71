import { expect, test } from "vitest";
import { checkLine } from "./check-line.ts";
import { trueSummaries } from "./testing/true-summaries.ts";

test("true summaries that are written by the grammar are published unharmed", () => {
  const summaries = trueSummaries();
  expect(summaries.length).toBeGreaterThan(400);
  const harmed = summaries.flatMap((summary) => {
    const checked = checkLine(JSON.stringify(summary), new Date("2026-11-16"));
    const isWhole = "published" in checked && checked.published !== null && checked.struck.length === 0;
    return isWhole ? [] : [{ text: summary.text, checked }];
  });
  expect(harmed).toEqual([]);
});
