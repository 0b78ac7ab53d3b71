-- Ends a run as end_automation_run does, and stores with its end how the condition of its automation has judged it: the new
-- state, the judgement, and the result that the next run is compared with. is_judged: false if the condition was changed
-- meanwhile; then nothing is stored, and nothing may be told.
CREATE OR REPLACE FUNCTION end_judged_run(
  chosen_run uuid, chosen_automation uuid, chosen_lease int, new_status run_status, new_summary text,
  new_failure_code text, new_failure_reason text, new_step uuid, end_time timestamptz,
  new_event uuid, event_type text, event_body bytea, is_alone boolean, tells_people boolean, judgement jsonb
) RETURNS TABLE (
  outcome text, changed_runs text[], cancelled_query_runs text[], held_endpoints text[], free_endpoints text[],
  is_judged boolean
) LANGUAGE plpgsql AS $$
DECLARE
  judged record;
BEGIN
  SELECT e.* INTO outcome, changed_runs, cancelled_query_runs, held_endpoints, free_endpoints
  FROM end_automation_run(chosen_run, chosen_automation, chosen_lease, new_status, new_summary, new_failure_code,
    new_failure_reason, new_step, end_time, new_event, event_type, event_body, is_alone, tells_people) e;
  IF outcome <> 'ended' THEN
    RETURN NEXT;
    RETURN;
  END IF;
  SELECT * INTO judged FROM jsonb_to_record(judgement) AS j(
    condition_id uuid, status condition_status, previous_status condition_status, runs_met int, runs_not_met int,
    open_since timestamptz, told_at timestamptz, is_muted boolean, reason text, base_step_id uuid, told condition_told,
    told_people boolean, facts jsonb, figures jsonb);
  WITH state AS (
    UPDATE automation_condition_states s SET status = judged.status, runs_met = judged.runs_met,
      runs_not_met = judged.runs_not_met, open_since = judged.open_since, told_at = judged.told_at,
      is_muted = judged.is_muted AND s.acknowledged_at IS NULL, reason = judged.reason, judged_at = end_time,
      acknowledged_at = CASE WHEN judged.open_since IS NOT NULL THEN s.acknowledged_at END,
      acknowledged_by = CASE WHEN judged.open_since IS NOT NULL THEN s.acknowledged_by END
    WHERE s.condition_id = judged.condition_id RETURNING s.condition_id, s.organization_id, s.automation_id
  ), base AS (
    INSERT INTO automation_condition_bases AS b (condition_id, organization_id, gzipped_json, rights_hash)
    SELECT state.condition_id, state.organization_id, result.gzipped_json, result.rights_hash
    FROM state JOIN automation_results result ON result.step_id = judged.base_step_id
    ON CONFLICT (condition_id) DO UPDATE SET gzipped_json = excluded.gzipped_json, rights_hash = excluded.rights_hash
  )
  INSERT INTO automation_condition_judgements (run_id, organization_id, automation_id, condition_id, at, status,
    previous_status, told, told_people, facts, reason, figures)
  SELECT chosen_run, state.organization_id, state.automation_id, state.condition_id, end_time, judged.status,
    judged.previous_status, judged.told, judged.told_people, judged.facts, judged.reason, judged.figures
  FROM state;
  is_judged := FOUND;
  RETURN NEXT;
END $$;
