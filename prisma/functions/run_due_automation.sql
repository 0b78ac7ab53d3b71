-- Starts the run of a scheduled time, and sets the next one. A time that has its run already is passed over: the clock of a
-- process that saves a schedule can be behind the clock of the database, and then sets the time that has just fired as the
-- next one. Returns the outcome of insert_automation_run; NULL for such a time, or if another worker has it.
CREATE OR REPLACE FUNCTION run_due_automation(
  chosen_automation uuid, expected_schedule jsonb, due_time timestamptz, scheduled_time timestamptz, next_time timestamptz,
  new_run uuid, new_short_id text, new_step uuid, triggered_at timestamptz, max_queued int
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  in_organization uuid;
  outcome text;
BEGIN
  SELECT organization_id INTO in_organization FROM automations
  WHERE id = chosen_automation AND next_run_at = due_time AND next_run_at <= querybell_now() AND schedule = expected_schedule
  FOR NO KEY UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  IF EXISTS (SELECT FROM automation_runs WHERE automation_id = chosen_automation AND scheduled_for = scheduled_time) THEN
    UPDATE automations SET next_run_at = next_time WHERE id = chosen_automation;
    RETURN NULL;
  END IF;
  SELECT i.outcome INTO outcome FROM insert_automation_run(chosen_automation, in_organization, new_run, new_short_id, new_step,
    'schedule', scheduled_time, triggered_at, max_queued) i;
  UPDATE automations SET next_run_at = next_time,
    last_skipped_at = CASE WHEN outcome = 'created' THEN last_skipped_at ELSE scheduled_time END
  WHERE id = chosen_automation;
  RETURN outcome;
END $$;
