import { maxToldFacts, type ToldFact } from "@querybell/domain/automation-conditions";
import { type ConditionRule, leavesOf } from "@querybell/domain/conditions";
import { cutText } from "@querybell/domain/text";
import type { ResultTable } from "@querybell/summaries/result-table";
import { evaluateRule } from "../evaluate/evaluate-rule.ts";
import type { Evidence, Fact } from "../evaluate/outcomes.ts";
import { problemOfKey } from "../evaluate/rows-changed.ts";
import { SeriesJudge } from "../ordinary/judge-series.ts";
import { writeChangedRows } from "./changed-rows.ts";
import { type JudgedRun, type JudgeTask, maxReasonCharacters } from "./judge-task.ts";
import { splitToldRows } from "./told-rows.ts";
import { explainFacts } from "./why.ts";

/**
 * Judges a run by its rule. `tables` are the inputs of the task, in their order. `rowsParts` are the changed rows that
 * are told: the JSON of each part of them.
 */
export function judgeRun(
  { rule: saved, isDue, before, now, inputs, past, recipients }: JudgeTask,
  tables: readonly ResultTable[],
): { judged: JudgedRun; rowsParts: Buffer[] } {
  const rule = isDue ? { ...saved, repeatAfterMinutes: 0 } : saved;
  const tableOf = (kind: "result" | "base") =>
    tables[inputs.findIndex((input) => input.kind === kind)] ?? null;
  const result = tableOf("result");
  const charts = new Map<string, ResultTable>();
  for (const [at, input] of inputs.entries()) {
    const table = tables[at];
    if (input.kind !== "base" && table) charts.set(input.shortId, table);
  }
  const figures: JudgedRun["figures"] = {};
  const leaves = leavesOf(rule.condition);
  const judge: Evidence["judge"] = (leaf, point) => {
    const settings = leaves[leaf];
    if (settings?.kind !== "out_of_the_ordinary") throw new Error(`The condition ${leaf} has no past.`);
    figures[leaf] = point.value;
    const series = new SeriesJudge(settings);
    for (const [at, value] of past[leaf] ?? []) series.next({ at, value });
    return series.next(point);
  };
  const base = tableOf("base");
  const evidence = { now: new Date(now), result, base, charts, judge };
  const { state, told, reason } = evaluateRule(rule, evidence, before);
  const keyProblem = result && !result.cut ? findKeyProblem(rule, result) : null;
  const rows = told && result && base ? writeChangedRows(told.facts, { result, base }) : null;
  const judged: JudgedRun = {
    state,
    told: told && {
      kind: told.kind,
      since: told.since,
      facts: [...told.facts, ...explainFacts(rule, told.facts, evidence)]
        .slice(0, maxToldFacts)
        .map(toToldFact),
    },
    reason: reason === null ? null : cutText(reason, maxReasonCharacters),
    isNextBase: isNextBase(rule, result),
    keyProblem: keyProblem && cutText(keyProblem, maxReasonCharacters),
    changedRows: rows?.counts ?? null,
    figures,
    groups:
      recipients && told && told.kind !== "resolved"
        ? splitToldRows(recipients, { charts, result, base: evidence.base, facts: told.facts })
        : null,
  };
  return { judged, rowsParts: rows?.parts ?? [] };
}

/**
 * Whether the next run is compared with this result. Not if rows cannot be told apart in it: then the next result is
 * compared with the one before, and no changed row is lost.
 */
export const isNextBase = (rule: ConditionRule, result: ResultTable | null): boolean =>
  result !== null && !result.cut && findKeyProblem(rule, result) === null;

function findKeyProblem({ condition }: ConditionRule, result: ResultTable): string | null {
  for (const leaf of leavesOf(condition)) {
    const problem = leaf.kind === "rows_changed" ? problemOfKey(result, leaf.key) : null;
    if (problem !== null) return problem;
  }
  return null;
}

/** A page lists the facts of many runs. */
const maxFactCharacters = 500;

function toToldFact(fact: Fact): ToldFact {
  switch (fact.kind) {
    case "figure": {
      const texts = [fact.name, fact.value, fact.compared, fact.difference, fact.percent];
      const isTooLong = texts.some((text) => text !== null && text.length > maxFactCharacters);
      // A part of a value would be another value.
      return isTooLong ? { kind: "text", text: "A value is too long to be told." } : fact;
    }
    case "rows": {
      const count = (change: string) => fact.rows.filter((row) => row.change === change).length;
      return { kind: "rows", entered: count("entered"), left: count("left"), changed: count("changed") };
    }
    case "matches": {
      const column = cutText(fact.name, maxFactCharacters);
      return { kind: "matches", column, count: fact.positions.length, of: fact.of };
    }
    case "text":
      return { kind: "text", text: cutText(fact.text, maxFactCharacters) };
  }
}
