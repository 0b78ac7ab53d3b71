-- CreateEnum
CREATE TYPE "recent_kind" AS ENUM ('query', 'reference', 'automation');

-- CreateEnum
CREATE TYPE "sample_shop_state" AS ENUM ('creating', 'ready', 'failed', 'removing');

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "hides_first_steps" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "recent_items" (
    "organization_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "kind" "recent_kind" NOT NULL,
    "item_id" UUID NOT NULL,
    "opened_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "recent_items_pkey" PRIMARY KEY ("organization_id","user_id","item_id")
);

-- CreateTable
CREATE TABLE "sample_shops" (
    "organization_id" UUID NOT NULL,
    "state" "sample_shop_state" NOT NULL,
    "file" TEXT NOT NULL,
    "steps_done" INTEGER NOT NULL DEFAULT 0,
    "database_id" UUID,
    "automation_id" UUID,
    "query_ids" UUID[],
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sample_shops_pkey" PRIMARY KEY ("organization_id"),
    CONSTRAINT "sample_shops_ready_has_database" CHECK (state <> 'ready' OR database_id IS NOT NULL)
);

-- CreateIndex
CREATE UNIQUE INDEX "sample_shops_file_key" ON "sample_shops"("file");

-- AddForeignKey
ALTER TABLE "recent_items" ADD CONSTRAINT "recent_items_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "members"("organization_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sample_shops" ADD CONSTRAINT "sample_shops_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sample_shops" ADD CONSTRAINT "sample_shops_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- A process of the release before calls it with nine arguments: the tenth has a default. Both forms together would be
-- ambiguous for it.
DROP FUNCTION insert_automation_run(uuid, uuid, uuid, text, uuid, text, timestamptz, timestamptz, int);

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
        WHERE a.automation_id = automation.id), '[]')),
    triggered_at, CASE WHEN unfinished = 0 THEN triggered_at END, 1);
  INSERT INTO automation_steps (
    id, organization_id, run_id, name, position, revision, kind, state, text, created_at, ended_at)
  VALUES (
    new_step, automation.organization_id, new_run, 'instruction', 1, 1, 'message', 'completed', automation.instruction,
    triggered_at, triggered_at);
  RETURN QUERY SELECT 'created', automation.name, automation.agent::text, unfinished = 0;
END $$;
