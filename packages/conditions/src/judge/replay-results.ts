import { type ConditionRule, leavesOf } from "@querybell/domain/conditions";
import { writeFraction } from "@querybell/summaries/fraction";
import { parseTable, type ResultTable } from "@querybell/summaries/result-table";
import { computeFigure } from "../evaluate/figures.ts";
import { type PastRun, replayRule, summarizeReplay } from "../evaluate/replay.ts";
import type { ReplayedResults, ReplayTask } from "./replay-task.ts";

/** Tries a rule on past results: their JSON, one after the other. Only the last ones are in memory as rows. */
export function replayResults({ rule, times }: ReplayTask, jsons: readonly Buffer[]): ReplayedResults {
  const values: (number | null)[] = [];
  function* runs(): Generator<PastRun> {
    for (const [index, json] of jsons.entries()) {
      const result = parseTable(json, false);
      values.push(figureOf(rule, result));
      yield { at: new Date(times[index] ?? 0), result };
    }
  }
  // Without the changed rows, of which there can be many, as soon as they are known.
  const replayed = Array.from(replayRule(rule, runs()), ({ at, state, told, reason }) => ({
    ...{ at, state, reason },
    told: told && { ...told, facts: [] },
  }));
  return {
    points: replayed.map(({ state, told }, index) => ({
      status: state.status,
      told: told?.kind ?? null,
      value: values[index] ?? null,
    })),
    metPerMonth: summarizeReplay(replayed).metPerMonth,
  };
}

function figureOf({ condition }: ConditionRule, result: ResultTable): number | null {
  for (const leaf of leavesOf(condition)) {
    if (leaf.kind !== "figure" && leaf.kind !== "out_of_the_ordinary") continue;
    const computed = computeFigure(result, leaf.figure);
    if ("problem" in computed || computed.kind === "text") return null;
    const value = Number(writeFraction(computed.value, 12));
    return Number.isFinite(value) ? value : null;
  }
  return null;
}
