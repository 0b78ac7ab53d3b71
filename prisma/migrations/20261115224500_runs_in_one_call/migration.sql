-- Triggering, claiming and ending a run of an automation, and emitting events, are one call each.
--
-- In plpgsql, because every statement of a function sees what was committed before it began: the queue of an
-- automation is counted after its lock is held. Processes of an older version go on with statements of their own,
-- which take the same locks in the same order.

-- Runs that wait for an external agent, and those that external agents have claimed. The second without lease_until:
-- renewing a lease must not write to an index.
CREATE INDEX "automation_runs_external_waiting_idx" ON "automation_runs" ("organization_id", "ready_at", "id") WHERE "status" = 'pending' AND "ready_at" IS NOT NULL AND "agent" = 'external';
CREATE INDEX "automation_runs_external_running_idx" ON "automation_runs" ("organization_id") WHERE "status" = 'running' AND "agent" = 'external';

-- A transaction that sets querybell.notices to 'after_commit' tells the watchers itself, once it has committed: commits
-- that NOTIFY wait for each other.
CREATE OR REPLACE TRIGGER "automation_runs_tell_watchers" AFTER UPDATE ON "automation_runs"
  FOR EACH ROW WHEN ((OLD."status" <> NEW."status" OR OLD."revision" <> NEW."revision" OR OLD."ready_at" IS DISTINCT FROM NEW."ready_at")
    AND current_setting('querybell.notices', true) IS DISTINCT FROM 'after_commit')
  EXECUTE FUNCTION "automation_runs_tell_watchers"();

-- Inserts a run with the automation's content as its brief, and the instruction as the first step of its transcript.
-- outcome: created; not_found; paused; unfinished, when the automation refuses a run beside another; queue_full.
CREATE FUNCTION "insert_automation_run"(
  chosen_automation uuid, chosen_organization uuid, new_run uuid, new_short_id text, new_step uuid,
  triggered_by text, scheduled_time timestamptz, triggered_at timestamptz, max_queued int
) RETURNS TABLE (outcome text, automation_name text, run_agent text, is_ready boolean) LANGUAGE plpgsql AS $$
DECLARE
  automation automations;
  unfinished int;
BEGIN
  -- Every transaction that starts or ends a run locks the automation first.
  SELECT * INTO automation FROM automations
  WHERE id = chosen_automation AND organization_id = chosen_organization AND deleted_at IS NULL FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'not_found', NULL::text, NULL::text, false;
    RETURN;
  END IF;
  IF NOT automation.enabled THEN
    RETURN QUERY SELECT 'paused', NULL::text, NULL::text, false;
    RETURN;
  END IF;
  SELECT count(*) INTO unfinished FROM automation_runs r
  WHERE r.automation_id = chosen_automation AND r.status IN ('pending', 'running');
  IF unfinished > 0 AND automation.when_busy = 'refuse' THEN
    RETURN QUERY SELECT 'unfinished', NULL::text, NULL::text, false;
    RETURN;
  END IF;
  IF unfinished > max_queued THEN
    RETURN QUERY SELECT 'queue_full', NULL::text, NULL::text, false;
    RETURN;
  END IF;

  INSERT INTO automation_runs (id, organization_id, automation_id, short_id, agent, trigger_id, scheduled_for, brief, created_at, ready_at, revision)
  VALUES (new_run, automation.organization_id, automation.id, new_short_id, automation.agent, triggered_by, scheduled_time,
    jsonb_build_object(
      'name', automation.name, 'instruction', automation.instruction, 'timeLimitSeconds', automation.time_limit_seconds,
      'references', coalesce((
        SELECT jsonb_agg(jsonb_build_object('id', q.id, 'shortId', q.short_id, 'title', q.title, 'parameterValues', a.parameter_values) ORDER BY a.position)
        FROM automation_references a JOIN query_references q ON q.id = a.reference_id
        WHERE a.automation_id = automation.id), '[]')),
    triggered_at, CASE WHEN unfinished = 0 THEN triggered_at END, 1);
  INSERT INTO automation_steps (id, organization_id, run_id, name, position, revision, kind, state, text, created_at, ended_at)
  VALUES (new_step, automation.organization_id, new_run, 'instruction', 1, 1, 'message', 'completed', automation.instruction, triggered_at, triggered_at);
  RETURN QUERY SELECT 'created', automation.name, automation.agent::text, unfinished = 0;
END $$;

-- Inserts the run of an automation that is due, and sets its next time. The caller has computed both from the schedule.
-- NULL when another worker does this, or when the schedule has changed meanwhile.
CREATE FUNCTION "run_due_automation"(
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
  SELECT i.outcome INTO outcome FROM insert_automation_run(chosen_automation, in_organization, new_run, new_short_id, new_step,
    'schedule', scheduled_time, triggered_at, max_queued) i;
  UPDATE automations SET next_run_at = next_time,
    last_skipped_at = CASE WHEN outcome = 'created' THEN last_skipped_at ELSE scheduled_time END
  WHERE id = chosen_automation;
  RETURN outcome;
END $$;

-- Claims a run for an external agent: one whose lease has expired, or else the one that has waited longest. Of one
-- automation if it is given, otherwise of any of the organization. The caller tells the watchers.
CREATE FUNCTION "claim_external_run"(
  chosen_organization uuid, chosen_automation uuid, claimer text, claimed_at timestamptz, lease_seconds int, max_attempts int
) RETURNS SETOF "automation_runs" LANGUAGE plpgsql AS $$
DECLARE
  chosen uuid;
BEGIN
  PERFORM set_config('querybell.notices', 'after_commit', true);
  IF chosen_automation IS NOT NULL THEN
    -- One run of an automation is ready at a time.
    SELECT id INTO chosen FROM automation_runs
    WHERE automation_id = chosen_automation AND organization_id = chosen_organization AND agent = 'external'
      AND status IN ('pending', 'running') AND ready_at IS NOT NULL
      AND (status = 'pending' OR (lease_until < now() AND lease_number < max_attempts AND deadline_at > claimed_at))
    FOR NO KEY UPDATE SKIP LOCKED;
  ELSE
    SELECT id INTO chosen FROM automation_runs
    WHERE organization_id = chosen_organization AND status = 'running' AND agent = 'external'
      AND lease_until < now() AND lease_number < max_attempts AND deadline_at > claimed_at
    ORDER BY ready_at, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
    IF chosen IS NULL THEN
      SELECT id INTO chosen FROM automation_runs
      WHERE organization_id = chosen_organization AND status = 'pending' AND ready_at IS NOT NULL AND agent = 'external'
      ORDER BY ready_at, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
    END IF;
  END IF;
  IF chosen IS NULL THEN
    RETURN;
  END IF;
  RETURN QUERY UPDATE automation_runs SET status = 'running', started_at = coalesce(started_at, claimed_at),
    deadline_at = coalesce(deadline_at, claimed_at + make_interval(secs => (brief->>'timeLimitSeconds')::int)),
    lease_holder = claimer, lease_until = now() + make_interval(secs => lease_seconds), lease_number = lease_number + 1
  WHERE id = chosen RETURNING *;
END $$;

-- Creates a step, or changes it while its state is running. Raising the run's revision is the fence: only the newest lease
-- writes. outcome: written; unchanged, when the step has ended; claim_lost; other_kind; too_many.
CREATE FUNCTION "write_automation_step"(
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
    INSERT INTO automation_steps (id, organization_id, run_id, name, position, revision, kind, state, text, tool, input, output, query_run_id, created_at, ended_at)
    VALUES (new_step, run.organization_id, chosen_run, step_name, run.revision, run.revision, step_kind, step_state, step_text, step_tool, step_input, step_output,
      step_query_run, written_at, CASE WHEN step_state <> 'running' THEN written_at END)
    RETURNING * INTO step;
    outcome := 'written';
  END IF;
  RETURN NEXT;
END $$;

-- Inserts events, and a delivery of each for every subscribed endpoint. Each cause emits at most once. The caller wakes
-- the pumps: those that hold an endpoint, and for an endpoint that none holds, all of them.
CREATE FUNCTION "emit_webhook_events"(
  event_ids uuid[], organization_ids uuid[], event_types text[], bodies bytea[], causes text[], emitted_at timestamptz
) RETURNS TABLE (emitted text[], held_endpoints text[], free_endpoints text[]) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY
    WITH event AS (
      INSERT INTO webhook_events (id, organization_id, type, body, dedupe_key, created_at)
      SELECT e.id, e.organization_id, e.type, e.body, e.cause, emitted_at
      FROM unnest(event_ids, organization_ids, event_types, bodies, causes) AS e(id, organization_id, type, body, cause)
      ON CONFLICT (organization_id, dedupe_key) DO NOTHING
      RETURNING id, organization_id, type
    ), subscribed AS (
      SELECT event.id AS event_id, e.id, e.lease_owner IS NOT NULL AS is_held, e.state = 'enabled' AND o.webhooks_enabled AS is_active
      FROM event
      JOIN webhook_endpoints e ON e.organization_id = event.organization_id
      JOIN organizations o ON o.id = e.organization_id
      WHERE e.state <> 'deleted' AND event.type = ANY(e.event_types)
    ), delivery AS (
      INSERT INTO webhook_deliveries (id, event_id, endpoint_id, state, next_attempt_at, created_at, state_changed_at)
      SELECT uuidv7(querybell_now() - now()), s.event_id, s.id,
        CASE WHEN s.is_active THEN 'pending' ELSE 'held' END::webhook_delivery_state,
        querybell_now(), querybell_now(), querybell_now()
      FROM subscribed s
    )
    SELECT (SELECT array_agg(event.id::text) FROM event),
      array_agg(DISTINCT s.id::text) FILTER (WHERE s.is_active AND s.is_held),
      array_agg(DISTINCT s.id::text) FILTER (WHERE s.is_active AND NOT s.is_held)
    FROM subscribed s;
END $$;

-- Ends a run: its open steps, its summary, its event, and the turn of the next run. Changes nothing, and says so:
-- not_ended, when the run has ended already or the lease is lost; more_to_do, when it is to be ended alone in its
-- transaction although subscribers must be notified or query runs cancelled by whoever calls.
CREATE FUNCTION "end_automation_run"(
  chosen_run uuid, chosen_automation uuid, chosen_lease int, new_status run_status, new_summary text,
  new_failure_code text, new_failure_reason text, new_step uuid, end_time timestamptz,
  new_event uuid, event_type text, event_body bytea, is_alone boolean
) RETURNS TABLE (
  outcome text, changed_runs text[], cancelled_query_runs text[], held_endpoints text[], free_endpoints text[]
) LANGUAGE plpgsql AS $$
DECLARE
  run automation_runs;
  has_open_steps boolean;
  own_query_runs text[];
  next_run uuid;
BEGIN
  PERFORM set_config('querybell.notices', CASE WHEN is_alone THEN 'after_commit' ELSE '' END, true);
  -- Every transaction that starts or ends a run locks the automation first, so that the next run is never missed.
  PERFORM FROM automations WHERE id = chosen_automation FOR NO KEY UPDATE;
  SELECT * INTO run FROM automation_runs r
  WHERE r.id = chosen_run AND r.automation_id = chosen_automation AND (chosen_lease IS NULL OR r.lease_number = chosen_lease)
    AND (r.status = 'running' OR (r.status = 'pending' AND new_status = 'failed'))
  FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'not_ended', NULL::text[], NULL::text[], NULL::text[], NULL::text[];
    RETURN;
  END IF;
  SELECT count(*) > 0, array_agg(q.id::text) FILTER (WHERE q.trigger_id = 'automation_run:' || chosen_run AND q.completed_at IS NULL)
  INTO has_open_steps, own_query_runs
  FROM automation_steps s LEFT JOIN query_runs q ON q.id = s.query_run_id
  WHERE s.run_id = chosen_run AND s.state = 'running';
  IF is_alone AND (own_query_runs IS NOT NULL OR EXISTS (
    SELECT FROM automation_subscribers s
    WHERE s.automation_id = chosen_automation AND CASE new_status WHEN 'completed' THEN s.on_summary ELSE s.on_failure END)) THEN
    RETURN QUERY SELECT 'more_to_do', NULL::text[], NULL::text[], NULL::text[], NULL::text[];
    RETURN;
  END IF;

  UPDATE automation_runs r SET status = new_status, summary = new_summary, failure_code = new_failure_code,
    failure_reason = new_failure_reason, completed_at = end_time, revision = r.revision + 1
  WHERE r.id = chosen_run RETURNING * INTO run;
  IF has_open_steps THEN
    UPDATE automation_steps s SET state = new_status::text::automation_step_state, ended_at = end_time, revision = run.revision
    WHERE s.run_id = chosen_run AND s.state = 'running';
  END IF;
  IF new_status = 'completed' THEN
    INSERT INTO automation_steps (id, organization_id, run_id, name, position, revision, kind, state, text, created_at, ended_at)
    VALUES (new_step, run.organization_id, chosen_run, 'summary', run.revision, run.revision, 'message', 'completed', new_summary, end_time, end_time)
    ON CONFLICT DO NOTHING;
    -- The results of this run are kept, for the comparison with the next. Those of the run before are the only others:
    -- several are looked at because the clocks of workers differ.
    DELETE FROM automation_results d WHERE d.run_id IN (
      SELECT r.id FROM automation_runs r WHERE r.automation_id = chosen_automation AND r.status = 'completed' AND r.id <> chosen_run
      ORDER BY r.completed_at DESC, r.id DESC LIMIT 10);
  ELSE
    DELETE FROM automation_results d WHERE d.run_id = chosen_run;
  END IF;

  SELECT e.held_endpoints, e.free_endpoints INTO held_endpoints, free_endpoints
  FROM emit_webhook_events(ARRAY[new_event], ARRAY[run.organization_id], ARRAY[event_type], ARRAY[event_body],
    ARRAY['automation_run:' || chosen_run], end_time) e;

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
