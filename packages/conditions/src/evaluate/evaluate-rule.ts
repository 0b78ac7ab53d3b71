import { type ConditionRule, type ConditionState, isAboutChanges } from "@querybell/domain/conditions";
import { evaluateCondition } from "./evaluate-condition.ts";
import type { Evidence, Fact } from "./outcomes.ts";

/** What is told after a run, with the values. */
export interface Told {
  /** `again`: told before, and still so. */
  kind: "met" | "again" | "resolved";
  facts: Fact[];
  since: string;
}

export interface RuleOutcome {
  state: ConditionState;
  told: Told | null;
  /** Why nothing is told; null if something is. */
  reason: string | null;
}

/**
 * Judges a run by its rule. Told once when met, again after a time if wanted, and when resolved. The first run, without
 * a state, tells nothing. Changed rows are told in each run that has some, so that each is told once. While there is no data, what was met stays open: it is neither told again nor resolved.
 */
export function evaluateRule(
  rule: ConditionRule,
  evidence: Omit<Evidence, "wasMet">,
  before: ConditionState | null,
): RuleOutcome {
  const open = before?.open ?? null;
  const outcome = evaluateCondition(rule.condition, { ...evidence, wasMet: open !== null });
  const now = evidence.now.toISOString();
  if (outcome.kind === "no_data") {
    const counts = { runsMet: before?.runsMet ?? 0, runsNotMet: before?.runsNotMet ?? 0 };
    return { state: { status: "no_data", ...counts, open }, told: null, reason: outcome.reason };
  }
  if (outcome.kind === "met") {
    const runsMet = (before?.runsMet ?? 0) + 1;
    const state: ConditionState = { status: open ? "met" : "normal", runsMet, runsNotMet: 0, open };
    if (open) return repeat(rule, state, { open, now, facts: outcome.facts });
    if (before === null) return { state, told: null, reason: "It is the first run." };
    if (isAboutChanges(rule.condition)) {
      const told = { kind: "met", facts: outcome.facts, since: now } as const;
      return { state: { ...state, status: "met" }, told, reason: null };
    }
    if (runsMet < rule.metForRuns) {
      return { state, told: null, reason: `It holds for ${runsMet} of ${rule.metForRuns} runs.` };
    }
    return {
      state: { ...state, status: "met", open: { since: now, toldAt: now } },
      told: { kind: "met", facts: outcome.facts, since: now },
      reason: null,
    };
  }
  const runsNotMet = (before?.runsNotMet ?? 0) + 1;
  if (!open) {
    const state = { status: "normal", runsMet: 0, runsNotMet, open: null } as const;
    return { state, told: null, reason: outcome.reason };
  }
  if (runsNotMet < rule.resolvedForRuns) {
    const reason = `It does not hold for ${runsNotMet} of ${rule.resolvedForRuns} runs.`;
    return { state: { status: "met", runsMet: 0, runsNotMet, open }, told: null, reason };
  }
  const state = { status: "resolved", runsMet: 0, runsNotMet, open: null } as const;
  if (!rule.tellsResolved) return { state, told: null, reason: "It is resolved, which is not told." };
  return { state, told: { kind: "resolved", facts: outcome.facts, since: open.since }, reason: null };
}

interface Repeat {
  open: NonNullable<ConditionState["open"]>;
  now: string;
  facts: Fact[];
}

function repeat(
  { repeatAfterMinutes }: ConditionRule,
  state: ConditionState,
  { open, now, facts }: Repeat,
): RuleOutcome {
  const isDue =
    repeatAfterMinutes !== null && Date.parse(now) - Date.parse(open.toldAt) >= repeatAfterMinutes * 60_000;
  if (!isDue) return { state, told: null, reason: `It was told at ${open.toldAt} and still holds.` };
  return {
    state: { ...state, open: { ...open, toldAt: now } },
    told: { kind: "again", facts, since: open.since },
    reason: null,
  };
}
