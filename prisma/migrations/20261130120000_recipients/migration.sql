-- AlterTable
ALTER TABLE "automation_destinations" ADD COLUMN     "attaches_csv" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "automations" ADD COLUMN     "recipients" JSONB;

-- AlterTable
ALTER TABLE "webhook_endpoints" ADD COLUMN     "row_recipients" JSONB;

-- CreateTable
CREATE TABLE "automation_run_recipients" (
    "run_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "told" JSONB NOT NULL,
    "left_out" JSONB NOT NULL,
    "left_out_count" INTEGER NOT NULL,
    "empty_count" INTEGER NOT NULL,

    CONSTRAINT "automation_run_recipients_pkey" PRIMARY KEY ("run_id")
);

-- CreateTable
CREATE TABLE "message_pictures" (
    "event_id" UUID NOT NULL,
    "position" SMALLINT NOT NULL,
    "organization_id" UUID NOT NULL,
    "token" TEXT NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "title" TEXT NOT NULL,
    "png" BYTEA NOT NULL,
    "reference_ids" UUID[],
    "row_rights_versions" INTEGER[],
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "message_pictures_pkey" PRIMARY KEY ("event_id","position")
);

-- CreateIndex
CREATE INDEX "automation_run_recipients_organization_id_idx" ON "automation_run_recipients"("organization_id");

-- CreateIndex
CREATE UNIQUE INDEX "message_pictures_token_hash_key" ON "message_pictures"("token_hash");

-- CreateIndex
CREATE INDEX "message_pictures_organization_id_idx" ON "message_pictures"("organization_id");

-- CreateIndex
CREATE INDEX "message_pictures_expires_at_idx" ON "message_pictures"("expires_at");

-- AddForeignKey
ALTER TABLE "automation_run_recipients" ADD CONSTRAINT "automation_run_recipients_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "automation_runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_run_recipients" ADD CONSTRAINT "automation_run_recipients_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "message_pictures" ADD CONSTRAINT "message_pictures_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "webhook_events"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "message_pictures" ADD CONSTRAINT "message_pictures_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "automations" ADD CONSTRAINT "automations_recipients" CHECK (
  "recipients" IS NULL OR (jsonb_typeof("recipients") = 'object' AND "agent" <> 'external'));

ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_row_recipients" CHECK (
  "row_recipients" IS NULL OR (jsonb_typeof("row_recipients") = 'object' AND "kind" = 'mail'));

ALTER TABLE "automation_run_recipients" ADD CONSTRAINT "automation_run_recipients_counts" CHECK (
  "left_out_count" >= 0 AND "empty_count" >= 0);

ALTER TABLE "message_pictures" ADD CONSTRAINT "message_pictures_charts" CHECK (
  cardinality("reference_ids") = cardinality("row_rights_versions") AND cardinality("reference_ids") > 0);

-- Gives the role of the public process all that it may do, if there is such a role. Executed after every migration.
CREATE OR REPLACE FUNCTION grant_public_role() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'querybell_public') THEN
    RETURN;
  END IF;
  GRANT USAGE ON SCHEMA public TO querybell_public;
  GRANT EXECUTE ON FUNCTION public.find_public_link(bytea), public.read_published_page(bytea, int),
    public.read_published_file(bytea, int, text), public.count_page_views(bytea[], int[]),
    public.find_embedding_key(uuid), public.open_embed_session(uuid, text, bytea, bytea, text, timestamptz),
    public.find_embed_session(bytea), public.request_embed_page(bytea, bytea, jsonb),
    public.read_embed_page(bytea, uuid), public.read_embed_file(bytea, uuid, text),
    public.read_message_picture(bytea), public.record_public_process(uuid, text, text, timestamptz, boolean) TO querybell_public;
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
      'dashboard', (
        SELECT jsonb_build_object('id', d.id, 'title', d.title) FROM public.dashboards d WHERE d.id = automation.dashboard_id),
      'references', coalesce((
        SELECT jsonb_agg(jsonb_build_object(
          'id', q.id, 'shortId', q.short_id, 'title', q.title, 'parameterValues', a.parameter_values) ORDER BY a.position)
        FROM automation_references a JOIN query_references q ON q.id = a.reference_id
        WHERE a.automation_id = automation.id), '[]'))
      || CASE WHEN automation.condition IS NULL THEN '{}' ELSE jsonb_build_object('condition', automation.condition) END
      || CASE WHEN automation.recipients IS NULL THEN '{}' ELSE jsonb_build_object('recipients', automation.recipients) END,
    triggered_at, CASE WHEN unfinished = 0 THEN triggered_at END, 1);
  INSERT INTO automation_steps (
    id, organization_id, run_id, name, position, revision, kind, state, text, created_at, ended_at)
  VALUES (
    new_step, automation.organization_id, new_run, 'instruction', 1, 1, 'message', 'completed', automation.instruction,
    triggered_at, triggered_at);
  RETURN QUERY SELECT 'created', automation.name, automation.agent::text, unfinished = 0;
END $$;

-- For the public process: a picture of a message, by its token. Not if it has expired, if public links are off, or if one of
-- its charts was deleted or has other policies or roles than when it was drawn.
CREATE OR REPLACE FUNCTION read_message_picture(chosen_hash bytea) RETURNS TABLE (png bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT p.png
  FROM public.message_pictures p JOIN public.organizations o ON o.id = p.organization_id
  WHERE p.token_hash = chosen_hash AND o.public_links AND p.expires_at > public.querybell_now()
    AND NOT EXISTS (
      SELECT FROM unnest(p.reference_ids, p.row_rights_versions) AS chart(id, version)
        LEFT JOIN public.query_references r ON r.id = chart.id AND r.deleted_at IS NULL
        LEFT JOIN public.queries q ON q.id = r.query_id
        LEFT JOIN public.analytical_database_configs d ON d.id = q.analytical_database_config_id
      WHERE d.row_rights_version IS DISTINCT FROM chart.version)
    AND NOT EXISTS (
      SELECT FROM public.organization_deletions e
      WHERE e.organization_id = p.organization_id AND e.started_at IS NOT NULL)
$$;

REVOKE EXECUTE ON FUNCTION read_message_picture(bytea) FROM PUBLIC;
