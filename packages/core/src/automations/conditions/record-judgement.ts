import { inTransaction } from "@querybell/db";
import type { UnfinishedRun } from "../runs/end-automation-run.ts";
import type { RunJudgement } from "./judge-automation-run.ts";
import { type TellDeps, tellJudgement } from "./tell-judgement.ts";

/**
 * Stores how a run was judged and emits what is told, in the transaction that ends the run: only the newest lease ends
 * it, and once. Does nothing, and returns false, if the condition was changed meanwhile.
 */
export async function recordJudgement(
  deps: TellDeps,
  run: UnfinishedRun,
  { judgement, at }: { judgement: RunJudgement; at: Date },
): Promise<boolean> {
  const { condition, judged, previousStatus, baseStepId, tellsPeople, isMuted } = judgement;
  const { state, told, reason, figures } = judged;
  const runStatement = inTransaction(deps.tx);
  const [stored] = await runStatement<object>({
    name: "record_condition_judgement",
    text: `
      WITH state AS (
        UPDATE automation_condition_states SET status = $2::condition_status, runs_met = $3, runs_not_met = $4,
          open_since = $5::timestamptz, told_at = $6::timestamptz, is_muted = $7 AND acknowledged_at IS NULL, reason = $8, judged_at = $9,
          acknowledged_at = CASE WHEN $5::timestamptz IS NOT NULL THEN acknowledged_at END,
          acknowledged_by = CASE WHEN $5::timestamptz IS NOT NULL THEN acknowledged_by END
        WHERE condition_id = $1 RETURNING condition_id, organization_id, automation_id
      ), base AS (
        INSERT INTO automation_condition_bases (condition_id, organization_id, gzipped_json, rights_hash)
        SELECT state.condition_id, state.organization_id, result.gzipped_json, result.rights_hash
        FROM state JOIN automation_results result ON result.step_id = $10
        ON CONFLICT (condition_id) DO UPDATE SET gzipped_json = excluded.gzipped_json, rights_hash = excluded.rights_hash
      )
      INSERT INTO automation_condition_judgements (run_id, organization_id, automation_id, condition_id, at, status,
        previous_status, told, told_people, facts, reason, figures)
      SELECT $11, organization_id, automation_id, condition_id, $9, $2::condition_status, $12::condition_status,
        $13::condition_told, $14, $15::jsonb, $8, $16::jsonb
      FROM state RETURNING run_id`,
    values: [
      condition.id,
      state.status,
      state.runsMet,
      state.runsNotMet,
      state.open?.since ?? null,
      state.open?.toldAt ?? null,
      isMuted,
      reason,
      at,
      baseStepId,
      run.id,
      previousStatus,
      told?.kind ?? null,
      tellsPeople,
      JSON.stringify(told?.facts ?? []),
      Object.keys(figures).length === 0 ? null : JSON.stringify(figures),
    ],
  });
  if (stored && told) await tellJudgement(deps, run, { judgement, at });
  return stored !== undefined;
}
