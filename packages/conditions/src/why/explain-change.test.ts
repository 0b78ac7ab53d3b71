import { Figure } from "@querybell/domain/conditions";
import type { ResultTable } from "@querybell/summaries/result-table";
import { expect, test } from "vitest";
import { explainChange } from "./explain-change.ts";
import { measureCauses } from "./testing/measure-causes.ts";

const table = (rows: (string | null)[][], cut = false): ResultTable => ({
  fields: [
    { name: "country", type: "string" },
    { name: "revenue", type: "decimal" },
  ],
  rows,
  cut,
});
const revenue = Figure.parse({ operation: "sum", column: "revenue" });

test("the planted cause is named first, and contributions add up", () => {
  const { first, addsUp, count } = measureCauses(30);
  expect(first).toBeGreaterThanOrEqual(0.95 * count);
  expect(addsUp).toBe(count);
});

test("says which value made the difference, exactly", () => {
  const before = table([
    ["France", "0.1"],
    ["Spain", "5"],
    [null, "7"],
  ]);
  const now = table([
    ["France", "10.3"],
    ["Spain", "5.2"],
    [null, "7"],
  ]);
  expect(explainChange(now, before, revenue)).toMatchObject({
    change: "10.4",
    dimensions: ["country"],
    contributions: [
      { values: ["France"], before: "0.1", now: "10.3", change: "10.2" },
      { values: ["Spain"], change: "0.2" },
      { values: [null], change: "0" },
    ],
    sentences: [
      "The sum of revenue rose by 10.4, from 12.1 to 22.5.",
      '"country" = "France" changed it by 10.2 (98.1% of the change), everything else by 0.2.',
    ],
  });
});

test("a name that cannot be published is not", () => {
  const before = table([
    ["https://evil.example", "1"],
    ["Spain", "1"],
  ]);
  const now = table([
    ["https://evil.example", "9"],
    ["Spain", "1"],
  ]);
  const explanation = explainChange(now, before, revenue);
  expect("sentences" in explanation && explanation.sentences.join(" ")).toContain(
    "a value that cannot be shown",
  );
});

test("for other figures, and for what has no parts, it says that it cannot", () => {
  const result = table([
    ["France", "1"],
    ["Spain", "2"],
  ]);
  const problem = (figure: unknown, now: ResultTable) => {
    const explanation = explainChange(now, result, Figure.parse(figure));
    return "problem" in explanation && explanation.problem;
  };
  expect(problem({ operation: "average", column: "revenue" }, result)).toContain("It cannot be said why");
  expect(problem({ operation: "sum", column: "revenue" }, table([], true))).toContain("a limit truncated");
  expect(problem({ operation: "sum", column: "revenue" }, result)).toBe("Nothing has changed.");
  expect(problem({ operation: "sum", column: "revenue" }, table([["France", "NaN"]]))).toContain(
    "no finite number",
  );
});
