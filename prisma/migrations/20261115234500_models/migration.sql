-- AlterEnum
ALTER TYPE "automation_agent" ADD VALUE 'model';

-- AlterTable
ALTER TABLE "automation_runs" ADD COLUMN     "input_tokens" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "model_calls" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "output_tokens" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "automations" ADD COLUMN     "step_budget" INTEGER NOT NULL DEFAULT 30,
ADD COLUMN     "token_budget" INTEGER NOT NULL DEFAULT 100000;

-- CreateTable
CREATE TABLE "model_settings" (
    "organization_id" UUID NOT NULL,
    "url" TEXT,
    "name" TEXT,
    "sealed_api_key" TEXT,
    "monthly_tokens" INTEGER NOT NULL,
    "consented_url" TEXT NOT NULL,
    "consented_by" UUID NOT NULL,
    "consented_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "model_settings_pkey" PRIMARY KEY ("organization_id")
);

-- CreateTable
CREATE TABLE "model_usage" (
    "organization_id" UUID NOT NULL,
    "month" DATE NOT NULL,
    "tokens" BIGINT NOT NULL,

    CONSTRAINT "model_usage_pkey" PRIMARY KEY ("organization_id","month")
);

-- CreateIndex
CREATE INDEX "model_settings_consented_by_idx" ON "model_settings"("consented_by");

-- AddForeignKey
ALTER TABLE "model_settings" ADD CONSTRAINT "model_settings_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_settings" ADD CONSTRAINT "model_settings_consented_by_fkey" FOREIGN KEY ("consented_by") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_usage" ADD CONSTRAINT "model_usage_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- From here on by hand: what Prisma's language cannot say.

ALTER TABLE "automations" ADD CONSTRAINT "automations_budget" CHECK ("step_budget" > 0 AND "token_budget" > 0);
ALTER TABLE "automation_runs" ADD CONSTRAINT "automation_runs_usage" CHECK ("model_calls" >= 0 AND "input_tokens" >= 0 AND "output_tokens" >= 0);
ALTER TABLE "model_settings" ADD CONSTRAINT "model_settings_connection" CHECK (("url" IS NULL) = ("name" IS NULL) AND ("sealed_api_key" IS NULL OR "url" IS NOT NULL) AND "monthly_tokens" >= 0);
ALTER TABLE "model_usage" ADD CONSTRAINT "model_usage_tokens" CHECK ("tokens" >= 0 AND extract(day FROM "month") = 1);

-- As before, with the budget of a run in its brief.
CREATE OR REPLACE FUNCTION "insert_automation_run"(
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
      'budget', jsonb_build_object('steps', automation.step_budget, 'tokens', automation.token_budget),
      'references', coalesce((
        SELECT jsonb_agg(jsonb_build_object('id', q.id, 'shortId', q.short_id, 'title', q.title, 'parameterValues', a.parameter_values) ORDER BY a.position)
        FROM automation_references a JOIN query_references q ON q.id = a.reference_id
        WHERE a.automation_id = automation.id), '[]')),
    triggered_at, CASE WHEN unfinished = 0 THEN triggered_at END, 1);
  INSERT INTO automation_steps (id, organization_id, run_id, name, position, revision, kind, state, text, created_at, ended_at)
  VALUES (new_step, automation.organization_id, new_run, 'instruction', 1, 1, 'message', 'completed', automation.instruction, triggered_at, triggered_at);
  RETURN QUERY SELECT 'created', automation.name, automation.agent::text, unfinished = 0;
END $$;
