-- Creates a step, or changes it while its state is running. Raising the run's revision is the fence: only the newest lease
-- writes. outcome: written; unchanged, when the step has ended; claim_lost; other_kind; too_many.
CREATE OR REPLACE FUNCTION write_automation_step(
  chosen_run uuid, chosen_lease int, new_step uuid, step_name text, step_kind automation_step_kind,
  step_state automation_step_state, step_text text, step_tool text, step_input jsonb, step_output jsonb,
  step_query_run uuid, keeps_query_run boolean, written_at timestamptz, max_steps int, is_alone boolean
) RETURNS TABLE (outcome text, step automation_steps) LANGUAGE plpgsql AS $$
DECLARE
  run automation_runs;
BEGIN
  PERFORM set_config('querybell.notices', CASE WHEN is_alone THEN 'after_commit' ELSE '' END, true);
  UPDATE automation_runs r SET revision = r.revision + 1
  WHERE r.id = chosen_run AND r.lease_number = chosen_lease AND r.status = 'running' RETURNING * INTO run;
  IF NOT FOUND THEN
    outcome := 'claim_lost';
    RETURN NEXT;
    RETURN;
  END IF;
  SELECT * INTO step FROM automation_steps s WHERE s.run_id = chosen_run AND s.name = step_name;
  IF FOUND THEN
    IF step.state <> 'running' THEN
      outcome := 'unchanged';
    ELSIF step.kind <> step_kind THEN
      outcome := 'other_kind';
    ELSE
      UPDATE automation_steps s SET state = step_state, text = step_text, tool = coalesce(step_tool, s.tool),
        input = coalesce(step_input, s.input), output = coalesce(step_output, s.output),
        query_run_id = CASE WHEN keeps_query_run THEN s.query_run_id ELSE step_query_run END,
        revision = run.revision, ended_at = CASE WHEN step_state <> 'running' THEN written_at END
      WHERE s.id = step.id RETURNING * INTO step;
      outcome := 'written';
    END IF;
  ELSIF (SELECT count(*) FROM automation_steps s WHERE s.run_id = chosen_run) >= max_steps THEN
    outcome := 'too_many';
  ELSE
    INSERT INTO automation_steps (
      id, organization_id, run_id, name, position, revision, kind, state, text, tool, input, output, query_run_id,
      created_at, ended_at)
    VALUES (
      new_step, run.organization_id, chosen_run, step_name, run.revision, run.revision, step_kind, step_state, step_text,
      step_tool, step_input, step_output, step_query_run,
      written_at, CASE WHEN step_state <> 'running' THEN written_at END)
    RETURNING * INTO step;
    outcome := 'written';
  END IF;
  RETURN NEXT;
END $$;
