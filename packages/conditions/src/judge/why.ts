import { type ConditionRule, leavesOf } from "@querybell/domain/conditions";
import type { ResultTable } from "@querybell/summaries/result-table";
import { nameOfFigure, splitByPeriods } from "../evaluate/figures.ts";
import type { Evidence, Fact } from "../evaluate/outcomes.ts";
import { explainChange } from "../why/explain-change.ts";

/** Grouping more rows would take longer than a run should wait for its judgement. */
const maxRows = 200_000;

/** Why the told figures have changed since the last run, or since the period before: a sentence for each, also if it cannot be said. */
export function explainFacts(
  { condition }: ConditionRule,
  facts: readonly Fact[],
  evidence: Pick<Evidence, "now" | "result" | "base">,
): Fact[] {
  const texts = leavesOf(condition).flatMap((leaf) => {
    if (leaf.kind !== "figure") return [];
    const name = nameOfFigure(leaf.figure);
    const hasMoved = facts.some(
      (fact) => fact.kind === "figure" && fact.name === name && Number(fact.difference ?? 0) !== 0,
    );
    const pair = hasMoved ? resultsToCompare(leaf.is.to, evidence) : null;
    if (!pair) return [];
    const [now, before] = pair;
    if (now.rows.length + before.rows.length > maxRows) {
      return `It cannot be said why: more than ${maxRows.toLocaleString("en")} rows would have to be compared.`;
    }
    const explained = explainChange(now, before, leaf.figure);
    return "problem" in explained ? explained.problem : explained.sentences.join(" ");
  });
  return [...new Set(texts)].map((text) => ({ kind: "text", text }));
}

type Other = Extract<ReturnType<typeof leavesOf>[number], { kind: "figure" }>["is"]["to"];

/** The rows of now and of before, if the figure is compared with itself. */
function resultsToCompare(
  to: Other,
  { now, result, base }: Pick<Evidence, "now" | "result" | "base">,
): [ResultTable, ResultTable] | null {
  if (!result) return null;
  if (to.kind === "last_run") return base && [result, base];
  if (to.kind !== "period_before") return null;
  const split = splitByPeriods(result, { ...to, now });
  return "problem" in split ? null : [split.last.table, split.previous.table];
}
