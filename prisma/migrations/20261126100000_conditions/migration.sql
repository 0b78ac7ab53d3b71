-- CreateEnum
CREATE TYPE "condition_status" AS ENUM ('normal', 'met', 'resolved', 'no_data');

-- CreateEnum
CREATE TYPE "condition_told" AS ENUM ('met', 'again', 'resolved');

-- AlterTable
ALTER TABLE "automations" ADD COLUMN     "condition" JSONB;

-- CreateTable
CREATE TABLE "automation_condition_states" (
    "condition_id" UUID NOT NULL,
    "automation_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "status" "condition_status",
    "runs_met" INTEGER NOT NULL DEFAULT 0,
    "runs_not_met" INTEGER NOT NULL DEFAULT 0,
    "open_since" TIMESTAMPTZ(3),
    "told_at" TIMESTAMPTZ(3),
    "is_muted" BOOLEAN NOT NULL DEFAULT false,
    "reason" TEXT,
    "judged_at" TIMESTAMPTZ(3),
    "acknowledged_at" TIMESTAMPTZ(3),
    "acknowledged_by" UUID,
    "snoozed_until" TIMESTAMPTZ(3),
    "snoozed_by" UUID,

    CONSTRAINT "automation_condition_states_pkey" PRIMARY KEY ("condition_id")
);

-- CreateTable
CREATE TABLE "automation_condition_bases" (
    "condition_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "gzipped_json" BYTEA NOT NULL,

    CONSTRAINT "automation_condition_bases_pkey" PRIMARY KEY ("condition_id")
);

-- CreateTable
CREATE TABLE "automation_condition_judgements" (
    "run_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "automation_id" UUID NOT NULL,
    "condition_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "status" "condition_status" NOT NULL,
    "previous_status" "condition_status",
    "told" "condition_told",
    "told_people" BOOLEAN NOT NULL,
    "facts" JSONB NOT NULL,
    "reason" TEXT,
    "figures" JSONB,

    CONSTRAINT "automation_condition_judgements_pkey" PRIMARY KEY ("run_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "automation_condition_states_automation_id_key" ON "automation_condition_states"("automation_id");

-- CreateIndex
CREATE INDEX "automation_condition_states_organization_id_idx" ON "automation_condition_states"("organization_id");

-- CreateIndex
CREATE INDEX "automation_condition_states_acknowledged_by_idx" ON "automation_condition_states"("acknowledged_by");

-- CreateIndex
CREATE INDEX "automation_condition_states_snoozed_by_idx" ON "automation_condition_states"("snoozed_by");

-- CreateIndex
CREATE INDEX "automation_condition_bases_organization_id_idx" ON "automation_condition_bases"("organization_id");

-- CreateIndex
CREATE INDEX "automation_condition_judgements_condition_id_at_run_id_idx" ON "automation_condition_judgements"("condition_id", "at" DESC, "run_id" DESC);

-- CreateIndex
CREATE INDEX "automation_condition_judgements_automation_id_at_run_id_idx" ON "automation_condition_judgements"("automation_id", "at" DESC, "run_id" DESC);

-- CreateIndex
CREATE INDEX "automation_condition_judgements_organization_id_idx" ON "automation_condition_judgements"("organization_id");

-- AddForeignKey
ALTER TABLE "automation_condition_states" ADD CONSTRAINT "automation_condition_states_automation_id_fkey" FOREIGN KEY ("automation_id") REFERENCES "automations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_condition_states" ADD CONSTRAINT "automation_condition_states_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_condition_states" ADD CONSTRAINT "automation_condition_states_acknowledged_by_fkey" FOREIGN KEY ("acknowledged_by") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_condition_states" ADD CONSTRAINT "automation_condition_states_snoozed_by_fkey" FOREIGN KEY ("snoozed_by") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_condition_bases" ADD CONSTRAINT "automation_condition_bases_condition_id_fkey" FOREIGN KEY ("condition_id") REFERENCES "automation_condition_states"("condition_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_condition_bases" ADD CONSTRAINT "automation_condition_bases_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_condition_judgements" ADD CONSTRAINT "automation_condition_judgements_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "automation_runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_condition_judgements" ADD CONSTRAINT "automation_condition_judgements_automation_id_fkey" FOREIGN KEY ("automation_id") REFERENCES "automations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_condition_judgements" ADD CONSTRAINT "automation_condition_judgements_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "automations" ADD CONSTRAINT "automations_condition" CHECK (
  "condition" IS NULL OR (jsonb_typeof("condition") = 'object' AND "condition" ? 'id' AND "agent" <> 'external'));

ALTER TABLE "automation_condition_states" ADD CONSTRAINT "automation_condition_states_open" CHECK (
  ("open_since" IS NULL) = ("told_at" IS NULL) AND ("acknowledged_at" IS NULL OR "open_since" IS NOT NULL));
ALTER TABLE "automation_condition_states" ADD CONSTRAINT "automation_condition_states_people" CHECK (
  ("acknowledged_by" IS NULL OR "acknowledged_at" IS NOT NULL) AND ("snoozed_by" IS NULL OR "snoozed_until" IS NOT NULL));
ALTER TABLE "automation_condition_states" ADD CONSTRAINT "automation_condition_states_counts" CHECK (
  "runs_met" >= 0 AND "runs_not_met" >= 0);

ALTER TABLE "automation_condition_judgements" ADD CONSTRAINT "automation_condition_judgements_told" CHECK (
  "told" IS NOT NULL OR NOT "told_people");

-- The history that the page of an automation shows.
CREATE INDEX "automation_condition_judgements_changes" ON "automation_condition_judgements" ("automation_id", "at" DESC, "run_id" DESC)
  WHERE "told" IS NOT NULL OR "status" IS DISTINCT FROM "previous_status";

-- Inserts an event, and a delivery of it for every subscribed endpoint. A cause emits at most once. The caller wakes the
-- pumps: those that hold an endpoint, and for an endpoint that none holds, all of them.
--
-- An event about an automation gets the next position in the organization's event stream, if it has one. The lock on its
-- row makes the order of positions that of the commits, and every position has an event, until it is purged. The statement
-- after it sees every subscription that was committed before the lock was taken, so an event is either before the start of
-- a subscription or delivered to it.
CREATE OR REPLACE FUNCTION emit_webhook_event(
  new_event uuid, chosen_organization uuid, event_type text, event_body bytea, cause text, about_automation uuid,
  emitted_at timestamptz, tells_people boolean DEFAULT true
) RETURNS TABLE (is_new boolean, held_endpoints text[], free_endpoints text[]) LANGUAGE plpgsql AS $$
DECLARE
  last_position bigint;
BEGIN
  IF about_automation IS NOT NULL THEN
    SELECT s.position INTO last_position FROM event_streams s
    WHERE s.organization_id = chosen_organization FOR NO KEY UPDATE;
  END IF;
  INSERT INTO webhook_events (id, organization_id, type, body, dedupe_key, created_at, position, automation_id)
  VALUES (new_event, chosen_organization, event_type, event_body, cause, emitted_at, last_position + 1,
    CASE WHEN last_position IS NOT NULL THEN about_automation END)
  ON CONFLICT (organization_id, dedupe_key) DO NOTHING;
  IF NOT FOUND THEN
    RETURN QUERY SELECT false, NULL::text[], NULL::text[];
    RETURN;
  END IF;
  IF last_position IS NOT NULL THEN
    UPDATE event_streams s SET position = last_position + 1 WHERE s.organization_id = chosen_organization;
  END IF;
  RETURN QUERY
    WITH subscribed AS (
      SELECT e.id, e.lease_owner IS NOT NULL AS is_held, e.state = 'enabled' AND o.webhooks_enabled AS is_active
      FROM webhook_endpoints e JOIN organizations o ON o.id = e.organization_id
      WHERE e.organization_id = chosen_organization AND e.state <> 'deleted' AND CASE e.kind
        WHEN 'webhook' THEN event_type = ANY(e.event_types)
        WHEN 'mcp' THEN event_type = ANY(e.event_types) AND last_position IS NOT NULL AND e.expires_at > querybell_now()
          AND (e.automation_id IS NULL OR e.automation_id = about_automation)
        -- A destination gets what automations have chosen for it, while people are told.
        ELSE tells_people AND EXISTS (
          SELECT FROM automation_destinations c
          WHERE c.automation_id = about_automation AND c.endpoint_id = e.id AND event_type = ANY(c.event_types))
        END
    ), delivery AS (
      INSERT INTO webhook_deliveries (id, event_id, endpoint_id, state, next_attempt_at, created_at, state_changed_at)
      SELECT uuidv7(querybell_now() - now()), new_event, s.id,
        CASE WHEN s.is_active THEN 'pending' ELSE 'held' END::webhook_delivery_state,
        querybell_now(), querybell_now(), querybell_now()
      FROM subscribed s
    )
    SELECT true, array_agg(s.id::text) FILTER (WHERE s.is_active AND s.is_held),
      array_agg(s.id::text) FILTER (WHERE s.is_active AND NOT s.is_held)
    FROM subscribed s;
END $$;

-- Ends a run: its state, its open steps, its event with a delivery for each endpoint, and the turn of the next run. Only the
-- newest lease ends it; without a lease, whoever cancels it or finds it overdue does. A trial emits no event and keeps no
-- results: no later run is compared with it. Unless it tells people, no destination gets the event: the condition of the
-- automation does not speak.
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
  IF is_alone AND (own_query_runs IS NOT NULL OR EXISTS (
    SELECT FROM automation_subscribers s
    WHERE s.automation_id = chosen_automation
      AND CASE new_status WHEN 'completed' THEN s.on_summary ELSE s.on_failure END)) THEN
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

-- Inserts a run with the automation's content as its brief, and the instruction as the first step of its transcript.
-- outcome: created; not_found; paused, unless the run may start while the automation is paused; unfinished, when the
-- automation refuses a run beside another; queue_full.
CREATE OR REPLACE FUNCTION insert_automation_run(
  chosen_automation uuid, chosen_organization uuid, new_run uuid, new_short_id text, new_step uuid,
  triggered_by text, scheduled_time timestamptz, triggered_at timestamptz, max_queued int, while_paused boolean DEFAULT false
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
  IF NOT automation.enabled AND NOT while_paused THEN
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

  INSERT INTO automation_runs (
    id, organization_id, automation_id, short_id, agent, trigger_id, scheduled_for, brief, created_at, ready_at, revision)
  VALUES (
    new_run, automation.organization_id, automation.id, new_short_id, automation.agent, triggered_by, scheduled_time,
    jsonb_build_object(
      'name', automation.name, 'instruction', automation.instruction, 'timeLimitSeconds', automation.time_limit_seconds,
      'budget', jsonb_build_object('steps', automation.step_budget, 'tokens', automation.token_budget),
      'allowsSql', automation.allows_sql,
      'references', coalesce((
        SELECT jsonb_agg(jsonb_build_object(
          'id', q.id, 'shortId', q.short_id, 'title', q.title, 'parameterValues', a.parameter_values) ORDER BY a.position)
        FROM automation_references a JOIN query_references q ON q.id = a.reference_id
        WHERE a.automation_id = automation.id), '[]'))
      || CASE WHEN automation.condition IS NULL THEN '{}' ELSE jsonb_build_object('condition', automation.condition) END,
    triggered_at, CASE WHEN unfinished = 0 THEN triggered_at END, 1);
  INSERT INTO automation_steps (
    id, organization_id, run_id, name, position, revision, kind, state, text, created_at, ended_at)
  VALUES (
    new_step, automation.organization_id, new_run, 'instruction', 1, 1, 'message', 'completed', automation.instruction,
    triggered_at, triggered_at);
  RETURN QUERY SELECT 'created', automation.name, automation.agent::text, unfinished = 0;
END $$;

DROP FUNCTION end_automation_run(uuid,uuid,integer,run_status,text,text,text,uuid,timestamp with time zone,uuid,text,bytea,boolean);

DROP FUNCTION emit_webhook_event(uuid,uuid,text,bytea,text,uuid,timestamp with time zone);

-- Refuses to acknowledge or snooze the condition of an automation that a caller with narrowed rights may not change.
CREATE OR REPLACE FUNCTION require_automation_right() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM public.automations a WHERE a.id = NEW.automation_id AND may_edit_item(a.folder_id, a.created_by)) THEN
    RAISE EXCEPTION 'may_not_edit' USING ERRCODE = 'QB009';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER automation_condition_states_require_right BEFORE UPDATE ON automation_condition_states
  FOR EACH ROW WHEN (current_setting('querybell.caller', true) <> '')
  EXECUTE FUNCTION require_automation_right();
