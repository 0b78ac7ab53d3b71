import { expect, test } from "vitest";
import { suggestRange } from "./suggest-range.ts";

test.for([
  ["since", ["country", "until"], { start: "since", end: "until" }],
  ["until", ["country", "from"], { start: "from", end: "until" }],
  ["start_date", ["end_date", "end"], { start: "start_date", end: "end_date" }],
  ["dateTo", ["dateFrom"], { start: "dateFrom", end: "dateTo" }],
  ["before", ["after"], { start: "after", end: "before" }],
  ["day", ["until"], undefined],
  ["since", ["since"], undefined],
  ["since", [], undefined],
] as const)("{{%s}} beside %j is in the range %j", ([name, others, range]) => {
  expect(suggestRange(name, others)).toEqual(range);
});
