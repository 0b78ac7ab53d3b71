import { type ConditionRule, type ConditionState, leavesOf } from "@querybell/domain/conditions";
import type { ResultTable } from "@querybell/summaries/result-table";
import { isNextBase } from "../judge/judge-run.ts";
import { SeriesJudge } from "../ordinary/judge-series.ts";
import { evaluateRule, type RuleOutcome } from "./evaluate-rule.ts";
import type { Evidence } from "./outcomes.ts";

/** A run of the past. */
export interface PastRun {
  at: Date;
  /** Null if the run failed. */
  result: ResultTable | null;
  charts?: ReadonlyMap<string, ResultTable>;
}

interface ReplayedRun extends RuleOutcome {
  at: Date;
}

const dayMs = 86_400_000;
const daysInMonth = 365.25 / 12;

/** Judges each run of the past as if the rule had been there, oldest first. Only one result is needed at a time. */
export function* replayRule(rule: ConditionRule, runs: Iterable<PastRun>): Generator<ReplayedRun> {
  const leaves = leavesOf(rule.condition);
  const judges = leaves.map((leaf) => (leaf.kind === "out_of_the_ordinary" ? new SeriesJudge(leaf) : null));
  let state: ConditionState | null = null;
  let base: ResultTable | null = null;
  for (const { at, result, charts = new Map() } of runs) {
    const judge: Evidence["judge"] = (leaf, point) => {
      const known = judges[leaf];
      if (!known) throw new Error(`The condition ${leaf} is not about what is ordinary.`);
      return known.next(point);
    };
    const evidence = { now: at, result, base, charts, judge };
    const outcome: RuleOutcome = evaluateRule(rule, evidence, state);
    state = outcome.state;
    if (isNextBase(rule, result)) base = result;
    yield { at, ...outcome };
  }
}

interface ReplaySummary {
  runs: number;
  /** When it would have spoken. */
  told: { at: Date; kind: "met" | "again" | "resolved" }[];
  /** How often it would have told that it is met, in a month. Null if the runs span less than a day. */
  metPerMonth: number | null;
}

export function summarizeReplay(replayed: Iterable<ReplayedRun>): ReplaySummary {
  const told: ReplaySummary["told"] = [];
  let [runs, first, last] = [0, 0, 0];
  for (const { at, told: one } of replayed) {
    if (runs === 0) first = at.getTime();
    last = at.getTime();
    runs++;
    if (one) told.push({ at, kind: one.kind });
  }
  const days = (last - first) / dayMs;
  const met = told.filter(({ kind }) => kind !== "resolved").length;
  return { runs, told, metPerMonth: days < 1 ? null : (met / days) * daysInMonth };
}
