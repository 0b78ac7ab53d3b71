-- CreateEnum
CREATE TYPE "automation_agent" AS ENUM ('digest', 'external');

-- CreateEnum
CREATE TYPE "when_busy" AS ENUM ('queue', 'refuse');

-- CreateEnum
CREATE TYPE "automation_step_kind" AS ENUM ('message', 'tool_call');

-- CreateEnum
CREATE TYPE "automation_step_state" AS ENUM ('running', 'completed', 'failed');

-- CreateTable
CREATE TABLE "automations" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "instruction" TEXT NOT NULL,
    "agent" "automation_agent" NOT NULL,
    "schedule" JSONB,
    "enabled" BOOLEAN NOT NULL,
    "when_busy" "when_busy" NOT NULL,
    "time_limit_seconds" INTEGER NOT NULL,
    "next_run_at" TIMESTAMPTZ(3),
    "last_skipped_at" TIMESTAMPTZ(3),
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "automations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "automation_references" (
    "automation_id" UUID NOT NULL,
    "position" SMALLINT NOT NULL,
    "organization_id" UUID NOT NULL,
    "reference_id" UUID NOT NULL,
    "parameter_values" JSONB NOT NULL,

    CONSTRAINT "automation_references_pkey" PRIMARY KEY ("automation_id","position")
);

-- CreateTable
CREATE TABLE "automation_runs" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "automation_id" UUID NOT NULL,
    "short_id" TEXT NOT NULL,
    "agent" "automation_agent" NOT NULL,
    "status" "run_status" NOT NULL DEFAULT 'pending',
    "trigger_id" TEXT NOT NULL,
    "scheduled_for" TIMESTAMPTZ(3),
    "brief" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "ready_at" TIMESTAMPTZ(3),
    "started_at" TIMESTAMPTZ(3),
    "deadline_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "summary" TEXT,
    "failure_code" TEXT,
    "failure_reason" TEXT,
    "revision" INTEGER NOT NULL DEFAULT 0,
    "lease_holder" TEXT,
    "lease_until" TIMESTAMPTZ(3),
    "lease_number" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "automation_runs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "automation_steps" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "revision" INTEGER NOT NULL,
    "kind" "automation_step_kind" NOT NULL,
    "state" "automation_step_state" NOT NULL,
    "text" TEXT NOT NULL,
    "tool" TEXT,
    "input" JSONB,
    "output" JSONB,
    "query_run_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "automation_steps_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "automation_results" (
    "step_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "gzipped_json" BYTEA NOT NULL,
    "cut" BOOLEAN NOT NULL,

    CONSTRAINT "automation_results_pkey" PRIMARY KEY ("step_id")
);

-- CreateIndex
CREATE INDEX "automations_organization_id_created_at_id_idx" ON "automations"("organization_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "automation_references_reference_id_idx" ON "automation_references"("reference_id");

-- CreateIndex
CREATE UNIQUE INDEX "automation_runs_short_id_key" ON "automation_runs"("short_id");

-- CreateIndex
CREATE INDEX "automation_runs_automation_id_created_at_id_idx" ON "automation_runs"("automation_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "automation_runs_organization_id_created_at_id_idx" ON "automation_runs"("organization_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "automation_runs_automation_id_scheduled_for_key" ON "automation_runs"("automation_id", "scheduled_for");

-- CreateIndex
CREATE INDEX "automation_steps_run_id_revision_idx" ON "automation_steps"("run_id", "revision");

-- CreateIndex
CREATE UNIQUE INDEX "automation_steps_run_id_name_key" ON "automation_steps"("run_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "automation_steps_run_id_position_key" ON "automation_steps"("run_id", "position");

-- CreateIndex
CREATE INDEX "automation_results_run_id_idx" ON "automation_results"("run_id");

-- AddForeignKey
ALTER TABLE "automations" ADD CONSTRAINT "automations_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automations" ADD CONSTRAINT "automations_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_references" ADD CONSTRAINT "automation_references_automation_id_fkey" FOREIGN KEY ("automation_id") REFERENCES "automations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_references" ADD CONSTRAINT "automation_references_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_references" ADD CONSTRAINT "automation_references_reference_id_fkey" FOREIGN KEY ("reference_id") REFERENCES "query_references"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_runs" ADD CONSTRAINT "automation_runs_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_runs" ADD CONSTRAINT "automation_runs_automation_id_fkey" FOREIGN KEY ("automation_id") REFERENCES "automations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_steps" ADD CONSTRAINT "automation_steps_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_steps" ADD CONSTRAINT "automation_steps_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "automation_runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_steps" ADD CONSTRAINT "automation_steps_query_run_id_fkey" FOREIGN KEY ("query_run_id") REFERENCES "query_runs"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_results" ADD CONSTRAINT "automation_results_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_results" ADD CONSTRAINT "automation_results_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "automation_runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_results" ADD CONSTRAINT "automation_results_step_id_fkey" FOREIGN KEY ("step_id") REFERENCES "automation_steps"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- From here on by hand: what Prisma's language cannot say.

ALTER TABLE "automations" ADD CONSTRAINT "automations_next_run_at" CHECK ("next_run_at" IS NULL OR ("enabled" AND "schedule" IS NOT NULL AND "deleted_at" IS NULL));
CREATE INDEX "automations_due_idx" ON "automations" ("next_run_at") WHERE "next_run_at" IS NOT NULL;

ALTER TABLE "automation_runs" ADD CONSTRAINT "automation_runs_short_id" CHECK ("short_id" ~ '^[2-9a-hjkmnp-z]{10}$');
ALTER TABLE "automation_runs" ADD CONSTRAINT "automation_runs_ended" CHECK (("status" IN ('completed', 'failed')) = ("completed_at" IS NOT NULL));
ALTER TABLE "automation_runs" ADD CONSTRAINT "automation_runs_summary" CHECK (("status" = 'completed') = ("summary" IS NOT NULL));
ALTER TABLE "automation_runs" ADD CONSTRAINT "automation_runs_failure" CHECK (("status" = 'failed') = ("failure_code" IS NOT NULL AND "failure_reason" IS NOT NULL));
ALTER TABLE "automation_runs" ADD CONSTRAINT "automation_runs_lease" CHECK ("status" <> 'running' OR ("ready_at" IS NOT NULL AND "deadline_at" IS NOT NULL AND "lease_holder" IS NOT NULL AND "lease_until" IS NOT NULL));
ALTER TABLE "automation_steps" ADD CONSTRAINT "automation_steps_ended" CHECK (("state" = 'running') = ("ended_at" IS NULL));
ALTER TABLE "automation_steps" ADD CONSTRAINT "automation_steps_tool" CHECK (("kind" = 'tool_call') = ("tool" IS NOT NULL));

-- One run of each automation has its turn; a run that is not ready cannot be running (automation_runs_lease).
CREATE UNIQUE INDEX "automation_runs_turn_key" ON "automation_runs" ("automation_id") WHERE "status" IN ('pending', 'running') AND "ready_at" IS NOT NULL;
CREATE INDEX "automation_runs_unfinished_idx" ON "automation_runs" ("automation_id", "created_at", "id") WHERE "status" IN ('pending', 'running');
CREATE INDEX "automation_runs_completed_idx" ON "automation_runs" ("automation_id", "completed_at" DESC, "id" DESC) WHERE "status" = 'completed';
CREATE INDEX "automation_steps_query_run_idx" ON "automation_steps" ("query_run_id") WHERE "query_run_id" IS NOT NULL;

-- Compressed already: trying to compress it again only costs time.
ALTER TABLE "automation_results" ALTER COLUMN "gzipped_json" SET STORAGE EXTERNAL;

-- The states of a run: pending to running or failed, running to completed or failed, nothing else.
CREATE FUNCTION "automation_runs_hold_states"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NEW.status <> 'pending' THEN
      RAISE EXCEPTION 'a run begins as pending, not as %', NEW.status USING ERRCODE = 'QB002';
    END IF;
  ELSIF OLD.status IN ('completed', 'failed') THEN
    RAISE EXCEPTION 'run % has ended as % and cannot change', OLD.id, OLD.status USING ERRCODE = 'QB002';
  ELSIF NEW.status <> OLD.status
    AND (OLD.status, NEW.status) NOT IN (('pending', 'running'), ('pending', 'failed'), ('running', 'completed'), ('running', 'failed')) THEN
    RAISE EXCEPTION 'run % cannot go from % to %', OLD.id, OLD.status, NEW.status USING ERRCODE = 'QB002';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER "automation_runs_hold_states" BEFORE INSERT OR UPDATE ON "automation_runs"
  FOR EACH ROW EXECUTE FUNCTION "automation_runs_hold_states"();

-- Tells whoever watches a run that there is something new to read, and who executes it that it is over.
CREATE FUNCTION "automation_runs_tell_watchers"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('querybell_automation_run_changed', NEW.id::text);
  IF NEW.status IN ('completed', 'failed') THEN
    PERFORM pg_notify('querybell_automation_run_ended', NEW.id::text);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "automation_runs_tell_watchers" AFTER UPDATE ON "automation_runs"
  FOR EACH ROW WHEN (OLD."status" <> NEW."status" OR OLD."revision" <> NEW."revision" OR OLD."ready_at" IS DISTINCT FROM NEW."ready_at")
  EXECUTE FUNCTION "automation_runs_tell_watchers"();

-- A step that has ended stays as it is.
CREATE FUNCTION "automation_steps_hold_states"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'step % of run % has ended and cannot change', OLD.name, OLD.run_id USING ERRCODE = 'QB003';
END $$;

CREATE TRIGGER "automation_steps_hold_states" BEFORE UPDATE ON "automation_steps"
  FOR EACH ROW WHEN (OLD."state" <> 'running' AND (OLD."state", OLD."name", OLD."text", OLD."output") IS DISTINCT FROM (NEW."state", NEW."name", NEW."text", NEW."output"))
  EXECUTE FUNCTION "automation_steps_hold_states"();
