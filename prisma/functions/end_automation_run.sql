-- Ends a run: its state, its open steps, its event with a delivery for each endpoint, and the turn of the next run. Only the
-- newest lease ends it; without a lease, whoever cancels it or finds it overdue does. A trial emits no event and keeps no
-- results: no later run is compared with it. Unless it tells people, no destination and no subscriber gets it: the
-- condition of the automation does not speak.
--
-- outcome: ended; not_ended, when it has ended or the lease is lost; more_to_do, when it is called alone but there are
-- queries to cancel or people to notify, which the caller does in a transaction with it.
CREATE OR REPLACE FUNCTION end_automation_run(
  chosen_run uuid, chosen_automation uuid, chosen_lease int, new_status run_status, new_summary text,
  new_failure_code text, new_failure_reason text, new_step uuid, end_time timestamptz,
  new_event uuid, event_type text, event_body bytea, is_alone boolean,
  tells_people boolean DEFAULT true
) RETURNS TABLE (
  outcome text, changed_runs text[], cancelled_query_runs text[], held_endpoints text[], free_endpoints text[]
) LANGUAGE plpgsql AS $$
DECLARE
  run record;
  has_open_steps boolean;
  own_query_runs text[];
  next_run uuid;
BEGIN
  PERFORM set_config('querybell.notices', CASE WHEN is_alone THEN 'after_commit' ELSE '' END, true);
  -- Before the automation, as transactions that end runs of several automations do, so that the two never deadlock.
  PERFORM FROM event_streams s
  WHERE s.organization_id = (SELECT a.organization_id FROM automations a WHERE a.id = chosen_automation)
  FOR NO KEY UPDATE;
  -- Every transaction that starts or ends a run locks the automation first, so that the next run is never missed.
  PERFORM FROM automations WHERE id = chosen_automation FOR NO KEY UPDATE;
  SELECT r.organization_id, r.is_trial, r.ready_at, r.revision + 1 AS revision INTO run FROM automation_runs r
  WHERE r.id = chosen_run AND r.automation_id = chosen_automation AND (chosen_lease IS NULL OR r.lease_number = chosen_lease)
    AND (r.status = 'running' OR (r.status = 'pending' AND new_status = 'failed'))
  FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'not_ended', NULL::text[], NULL::text[], NULL::text[], NULL::text[];
    RETURN;
  END IF;
  SELECT count(*) > 0,
    array_agg(q.id::text) FILTER (WHERE q.trigger_id = 'automation_run:' || chosen_run AND q.completed_at IS NULL)
  INTO has_open_steps, own_query_runs
  FROM automation_steps s LEFT JOIN query_runs q ON q.id = s.query_run_id
  WHERE s.run_id = chosen_run AND s.state = 'running';
  IF is_alone AND (own_query_runs IS NOT NULL OR (tells_people AND EXISTS (
    SELECT FROM automation_subscribers s
    WHERE s.automation_id = chosen_automation
      AND CASE new_status WHEN 'completed' THEN s.on_summary ELSE s.on_failure END))) THEN
    RETURN QUERY SELECT 'more_to_do', NULL::text[], NULL::text[], NULL::text[], NULL::text[];
    RETURN;
  END IF;

  UPDATE automation_runs r SET status = new_status, summary = new_summary, failure_code = new_failure_code,
    failure_reason = new_failure_reason, completed_at = end_time, revision = run.revision
  WHERE r.id = chosen_run;
  IF has_open_steps THEN
    UPDATE automation_steps s
    SET state = new_status::text::automation_step_state, ended_at = end_time, revision = run.revision
    WHERE s.run_id = chosen_run AND s.state = 'running';
  END IF;
  IF new_status = 'completed' THEN
    INSERT INTO automation_steps (
      id, organization_id, run_id, name, position, revision, kind, state, text, created_at, ended_at)
    VALUES (
      new_step, run.organization_id, chosen_run, 'summary', run.revision, run.revision, 'message', 'completed', new_summary,
      end_time, end_time)
    ON CONFLICT DO NOTHING;
    -- The results of this run are kept, for the comparison with the next. Those of the run before are the only others:
    -- several are looked at because the clocks of workers differ.
    DELETE FROM automation_results d WHERE d.run_id IN (
      SELECT r.id FROM automation_runs r
      WHERE r.automation_id = chosen_automation AND r.status = 'completed' AND r.id <> chosen_run
      ORDER BY r.completed_at DESC, r.id DESC LIMIT 10);
  ELSE
    DELETE FROM automation_results d WHERE d.run_id = chosen_run;
  END IF;

  IF run.is_trial THEN
    DELETE FROM automation_results d WHERE d.run_id = chosen_run;
  ELSE
    SELECT e.held_endpoints, e.free_endpoints INTO held_endpoints, free_endpoints
    FROM emit_webhook_event(new_event, run.organization_id, event_type, event_body, 'automation_run:' || chosen_run,
      chosen_automation, end_time, tells_people) e;
  END IF;

  IF run.ready_at IS NOT NULL THEN
    UPDATE automation_runs r SET ready_at = end_time
    WHERE r.id = (
      SELECT u.id FROM automation_runs u WHERE u.automation_id = chosen_automation AND u.status IN ('pending', 'running')
      ORDER BY u.created_at, u.id LIMIT 1)
    RETURNING r.id INTO next_run;
  END IF;
  RETURN QUERY SELECT 'ended', array_remove(ARRAY[chosen_run::text, next_run::text], NULL), own_query_runs,
    end_automation_run.held_endpoints, end_automation_run.free_endpoints;
END $$;
