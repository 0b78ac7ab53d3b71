import { expect, test } from "vitest";
import { CheckedSummary } from "./automation-steps.ts";

test.each([
  { name: "isModelSql", stored: { isModelSql: true }, isModelSql: true },
  { name: "isOwnSql, of an older release", stored: { isOwnSql: true }, isModelSql: true },
  { name: "neither", stored: {}, isModelSql: false },
])("a stored summary says whether the model wrote the SQL with $name", ({ stored, isModelSql }) => {
  const source = { step: "query", title: "Fruits", column: "weight", rows: [1] };
  const parts = [{ start: 0, end: 1, sources: [{ ...source, ...stored }] }];
  const summary = CheckedSummary.parse({ checkedSentences: [{ text: "5", problems: [], parts }] });
  expect(summary.checkedSentences[0]?.parts[0]?.sources).toEqual([{ ...source, isModelSql }]);
});
