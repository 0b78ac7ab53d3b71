-- CreateEnum
CREATE TYPE "webhook_endpoint_kind" AS ENUM ('webhook', 'mcp');

-- AlterTable
ALTER TABLE "webhook_endpoints" ADD COLUMN     "automation_id" UUID,
ADD COLUMN     "expires_at" TIMESTAMPTZ(3),
ADD COLUMN     "key_id" UUID,
ADD COLUMN     "kind" "webhook_endpoint_kind" NOT NULL DEFAULT 'webhook',
ADD COLUMN     "subscription_id" TEXT,
ADD COLUMN     "verified_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "webhook_events" ADD COLUMN     "automation_id" UUID,
ADD COLUMN     "position" BIGINT;

-- CreateTable
CREATE TABLE "event_streams" (
    "organization_id" UUID NOT NULL,
    "position" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "event_streams_pkey" PRIMARY KEY ("organization_id")
);

-- AddForeignKey
ALTER TABLE "event_streams" ADD CONSTRAINT "event_streams_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "api_keys"("id") ON DELETE SET NULL ON UPDATE CASCADE;

ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_subscription" CHECK (
  CASE "kind" WHEN 'mcp' THEN "subscription_id" IS NOT NULL AND "expires_at" IS NOT NULL AND "verified_at" IS NOT NULL
  ELSE "subscription_id" IS NULL AND "expires_at" IS NULL AND "verified_at" IS NULL AND "key_id" IS NULL AND "automation_id" IS NULL END);
CREATE UNIQUE INDEX "webhook_endpoints_subscription_key" ON "webhook_endpoints" ("subscription_id") WHERE "subscription_id" IS NOT NULL AND "state" <> 'deleted';
CREATE INDEX "webhook_endpoints_of_key" ON "webhook_endpoints" ("key_id") WHERE "key_id" IS NOT NULL;
CREATE INDEX "webhook_endpoints_expiring" ON "webhook_endpoints" ("expires_at") WHERE "expires_at" IS NOT NULL AND "state" <> 'deleted';
-- Emitting an event looks for these. Ended subscriptions, of which there can be many, are not among them.
CREATE INDEX "webhook_endpoints_present" ON "webhook_endpoints" ("organization_id") WHERE "state" <> 'deleted';
CREATE UNIQUE INDEX "webhook_events_position_key" ON "webhook_events" ("organization_id", "position") WHERE "position" IS NOT NULL;
-- What a receiver has not got, when its program asks for it again.
CREATE INDEX "webhook_deliveries_unsent" ON "webhook_deliveries" ("endpoint_id") WHERE "state" IN ('cancelled', 'dropped');
-- Every event updates its row.
ALTER TABLE "event_streams" SET (fillfactor = 50);

-- The subscriptions of a key end with it, in the transaction that revokes or deletes it.
CREATE OR REPLACE FUNCTION api_keys_end_subscriptions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM end_event_subscriptions(
    ARRAY(SELECT id FROM webhook_endpoints WHERE key_id = OLD.id AND state <> 'deleted'), 'key_revoked', NULL, NULL);
  IF TG_OP = 'DELETE' THEN
    RETURN OLD;
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER api_keys_end_subscriptions BEFORE DELETE OR UPDATE OF revoked_at ON api_keys
  FOR EACH ROW
  EXECUTE FUNCTION api_keys_end_subscriptions();

-- Inserts events, and a delivery of each for every subscribed endpoint. Each cause emits at most once. The caller wakes
-- the pumps: those that hold an endpoint, and for an endpoint that none holds, all of them.
--
-- The events of automations get the next positions in the organization's event stream, if it has one. The lock on its row
-- makes the order of positions that of the commits. The second statement sees every subscription that was committed
-- before the lock was taken, so an event is either before the start of a subscription or delivered to it.
CREATE OR REPLACE FUNCTION emit_webhook_events(
  event_ids uuid[], organization_ids uuid[], event_types text[], bodies bytea[], causes text[], emitted_at timestamptz
) RETURNS TABLE (emitted text[], held_endpoints text[], free_endpoints text[]) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE event_streams s SET position = s.position + added.events FROM (
    SELECT e.organization_id, count(*) AS events
    FROM unnest(organization_ids, event_types) AS e(organization_id, type)
    WHERE e.type <> 'audit.entry.created' GROUP BY e.organization_id) added
  WHERE s.organization_id = added.organization_id;
  RETURN QUERY
    WITH numbered AS (
      SELECT e.*, CASE WHEN e.type <> 'audit.entry.created' THEN 1 + s.position - row_number() OVER (
          PARTITION BY e.organization_id, e.type = 'audit.entry.created' ORDER BY e.ordinality DESC) END AS position
      FROM unnest(event_ids, organization_ids, event_types, bodies, causes)
        WITH ORDINALITY AS e(id, organization_id, type, body, cause, ordinality)
      LEFT JOIN event_streams s ON s.organization_id = e.organization_id
    ), event AS (
      INSERT INTO webhook_events AS v (id, organization_id, type, body, dedupe_key, created_at, position, automation_id)
      SELECT e.id, e.organization_id, e.type, e.body, e.cause, emitted_at, e.position,
        CASE WHEN e.position IS NOT NULL THEN
          (convert_from(e.body, 'UTF8')::json #>> '{data,automationId}')::uuid END
      FROM numbered e
      ON CONFLICT (organization_id, dedupe_key) DO NOTHING
      RETURNING v.id, v.organization_id, v.type, v.position, v.automation_id
    ), subscribed AS (
      SELECT event.id AS event_id, e.id, e.lease_owner IS NOT NULL AS is_held,
        e.state = 'enabled' AND o.webhooks_enabled AS is_active
      FROM event
      JOIN webhook_endpoints e ON e.organization_id = event.organization_id
      JOIN organizations o ON o.id = e.organization_id
      WHERE e.state <> 'deleted' AND event.type = ANY(e.event_types)
        AND (e.kind = 'webhook' OR (
          event.position IS NOT NULL AND e.expires_at > querybell_now()
          AND (e.automation_id IS NULL OR e.automation_id = event.automation_id)))
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

-- Ends a run: its state, its open steps, its event with a delivery for each endpoint, and the turn of the next run. Only the
-- newest lease ends it; without a lease, whoever cancels it or finds it overdue does. A trial emits no event and keeps no
-- results: no later run is compared with it.
--
-- outcome: ended; not_ended, when it has ended or the lease is lost; more_to_do, when it is called alone but there are
-- queries to cancel or people to notify, which the caller does in a transaction with it.
CREATE OR REPLACE FUNCTION end_automation_run(
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
  -- Before the automation, as transactions that end runs of several automations do, so that the two never deadlock.
  PERFORM lock_event_stream((SELECT a.organization_id FROM public.automations a WHERE a.id = chosen_automation));
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
    failure_reason = new_failure_reason, completed_at = end_time, revision = r.revision + 1
  WHERE r.id = chosen_run RETURNING * INTO run;
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
    FROM emit_webhook_events(ARRAY[new_event], ARRAY[run.organization_id], ARRAY[event_type], ARRAY[event_body],
      ARRAY['automation_run:' || chosen_run], end_time) e;
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

-- Ends subscriptions of programs and records that in the audit log. Nothing is sent to them any more: claims demand an
-- enabled endpoint, and pumps cancel what waits. Without an actor, the key that subscribed is named. Returns how many it
-- ended.
CREATE OR REPLACE FUNCTION end_event_subscriptions(chosen uuid[], reason text, actor uuid, actor_key uuid)
RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  one record;
  ended int := 0;
BEGIN
  FOR one IN
    SELECT e.id, e.organization_id, e.url, e.event_types[1] AS event, e.created_by, e.key_id
    FROM webhook_endpoints e WHERE e.id = ANY(chosen) AND e.kind = 'mcp' AND e.state <> 'deleted'
    ORDER BY e.id FOR NO KEY UPDATE
  LOOP
    UPDATE webhook_endpoints e SET state = 'deleted', disabled_reason = NULL, disabled_at = NULL,
      revision = e.revision + 1, updated_at = querybell_now()
    WHERE e.id = one.id;
    DELETE FROM webhook_secrets s WHERE s.endpoint_id = one.id;
    INSERT INTO audit_entries (id, organization_id, at, actor_user_id, key_id, action, target_id, detail)
    SELECT uuidv7(querybell_now() - now()), o.id, querybell_now(), coalesce(actor, one.created_by),
      CASE WHEN actor IS NULL THEN one.key_id ELSE actor_key END, 'event_subscription.ended', one.id,
      jsonb_build_object('url', one.url, 'event', one.event, 'reason', reason)
    -- It is gone if the organization itself is being deleted.
    FROM organizations o WHERE o.id = one.organization_id;
    PERFORM pg_notify('querybell_webhooks', one.id::text);
    ended := ended + 1;
  END LOOP;
  RETURN ended;
END $$;

-- Whether an API key may be told of an automation: it is neither revoked nor expired, and sees the automation.
CREATE OR REPLACE FUNCTION key_sees_automation(chosen_key uuid, chosen_automation uuid)
RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
  nil CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
  k record;
  mine record;
BEGIN
  SELECT organization_id, user_id, narrows_folders, narrows_databases INTO k FROM public.api_keys
  WHERE id = chosen_key AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > querybell_now());
  IF NOT FOUND OR NOT EXISTS (
    SELECT FROM public.automations a
    WHERE a.id = chosen_automation AND a.organization_id = k.organization_id AND a.deleted_at IS NULL
  ) THEN
    RETURN false;
  END IF;
  SELECT * INTO mine FROM public.querybell_rights(
    k.organization_id, k.user_id, CASE WHEN k.narrows_folders OR k.narrows_databases THEN chosen_key END);
  IF NOT FOUND THEN
    RETURN true;
  END IF;
  -- What its owner made outside of folders is theirs, but not that of a key for some folders.
  RETURN public.sees_automation(
    chosen_automation, CASE WHEN k.narrows_folders THEN nil ELSE k.user_id END, mine.folders, mine.databases);
END $$;

-- Locks the event stream of an organization until the transaction ends, if it has one. See emit_webhook_events.
CREATE OR REPLACE FUNCTION lock_event_stream(chosen_organization uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM event_streams WHERE organization_id = chosen_organization FOR NO KEY UPDATE;
END $$;
