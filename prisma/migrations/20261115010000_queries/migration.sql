-- CreateEnum
CREATE TYPE "engine_kind" AS ENUM ('duckdb', 'postgres');

-- CreateEnum
CREATE TYPE "run_status" AS ENUM ('pending', 'running', 'completed', 'failed');

-- CreateTable
CREATE TABLE "analytical_database_configs" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "engine" "engine_kind" NOT NULL,
    "settings" JSONB NOT NULL,
    "sealed_credentials" TEXT,
    "limits" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "analytical_database_configs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "queries" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "analytical_database_config_id" UUID NOT NULL,
    "sql" TEXT NOT NULL,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),
    "created_xid" xid8 NOT NULL DEFAULT pg_current_xact_id(),
    "changed_xid" xid8 NOT NULL DEFAULT pg_current_xact_id(),
    "deleted_xid" xid8,

    CONSTRAINT "queries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "query_references" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "short_id" TEXT NOT NULL,
    "query_id" UUID,
    "title" TEXT NOT NULL,
    "description" TEXT,
    "visualization" JSONB,
    "parameters" JSONB NOT NULL DEFAULT '[]',
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),
    "created_xid" xid8 NOT NULL DEFAULT pg_current_xact_id(),
    "changed_xid" xid8 NOT NULL DEFAULT pg_current_xact_id(),
    "deleted_xid" xid8,

    CONSTRAINT "query_references_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "row_versions" (
    "id" BIGSERIAL NOT NULL,
    "row_id" UUID NOT NULL,
    "changed_xid" xid8 NOT NULL,
    "replaced_xid" xid8 NOT NULL,
    "replaced_at" TIMESTAMPTZ(3) NOT NULL,
    "row" JSONB NOT NULL,

    CONSTRAINT "row_versions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "query_runs" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "query_id" UUID NOT NULL,
    "status" "run_status" NOT NULL DEFAULT 'pending',
    "trigger_id" TEXT NOT NULL,
    "parameter_values" JSONB NOT NULL,
    "parameter_types" JSONB NOT NULL,
    "parameter_values_hash" BYTEA NOT NULL,
    "rendered_sql" TEXT NOT NULL,
    "statement" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "cancel_requested_at" TIMESTAMPTZ(3),
    "progress_rows" INTEGER NOT NULL DEFAULT 0,
    "rows_read" BIGINT,
    "rows_written" INTEGER,
    "cut_by" TEXT,
    "failure_code" TEXT,
    "failure_reason" TEXT,
    "lease_worker" TEXT,
    "lease_until" TIMESTAMPTZ(3),
    "lease_number" INTEGER NOT NULL DEFAULT 0,
    "created_xid" xid8 NOT NULL DEFAULT pg_current_xact_id(),
    "started_xid" xid8,
    "ended_xid" xid8,

    CONSTRAINT "query_runs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "query_results" (
    "run_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "query_id" UUID NOT NULL,
    "parameter_values_hash" BYTEA NOT NULL,
    "gzipped_json" BYTEA NOT NULL,
    "json_bytes" INTEGER NOT NULL,
    "row_count" INTEGER NOT NULL,
    "cut_by" TEXT,
    "etag" TEXT NOT NULL,
    "completed_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "query_results_pkey" PRIMARY KEY ("run_id")
);

-- CreateIndex
CREATE INDEX "analytical_database_configs_organization_id_created_at_idx" ON "analytical_database_configs"("organization_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "analytical_database_configs_organization_id_id_key" ON "analytical_database_configs"("organization_id", "id");

-- CreateIndex
CREATE INDEX "queries_organization_id_created_at_id_idx" ON "queries"("organization_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "query_references_short_id_key" ON "query_references"("short_id");

-- CreateIndex
CREATE INDEX "query_references_organization_id_created_at_id_idx" ON "query_references"("organization_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "query_references_query_id_created_at_idx" ON "query_references"("query_id", "created_at");

-- CreateIndex
CREATE INDEX "row_versions_row_id_idx" ON "row_versions"("row_id");

-- CreateIndex
CREATE INDEX "row_versions_replaced_at_idx" ON "row_versions"("replaced_at");

-- CreateIndex
CREATE INDEX "query_runs_query_id_created_at_id_idx" ON "query_runs"("query_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "query_runs_organization_id_created_at_id_idx" ON "query_runs"("organization_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "query_results_expires_at_idx" ON "query_results"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "query_results_query_id_parameter_values_hash_key" ON "query_results"("query_id", "parameter_values_hash");

-- AddForeignKey
ALTER TABLE "analytical_database_configs" ADD CONSTRAINT "analytical_database_configs_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "queries" ADD CONSTRAINT "queries_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "queries" ADD CONSTRAINT "queries_organization_id_analytical_database_config_id_fkey" FOREIGN KEY ("organization_id", "analytical_database_config_id") REFERENCES "analytical_database_configs"("organization_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "queries" ADD CONSTRAINT "queries_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_references" ADD CONSTRAINT "query_references_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_references" ADD CONSTRAINT "query_references_query_id_fkey" FOREIGN KEY ("query_id") REFERENCES "queries"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_references" ADD CONSTRAINT "query_references_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_runs" ADD CONSTRAINT "query_runs_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_runs" ADD CONSTRAINT "query_runs_query_id_fkey" FOREIGN KEY ("query_id") REFERENCES "queries"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_results" ADD CONSTRAINT "query_results_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_results" ADD CONSTRAINT "query_results_query_id_fkey" FOREIGN KEY ("query_id") REFERENCES "queries"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_results" ADD CONSTRAINT "query_results_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "query_runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- From here on by hand: what Prisma's language cannot say.

ALTER TABLE "query_references" ADD CONSTRAINT "query_references_short_id" CHECK ("short_id" ~ '^[2-9a-hjkmnp-z]{10}$');
ALTER TABLE "query_references" ADD CONSTRAINT "query_references_title" CHECK (char_length("title") BETWEEN 1 AND 200);

-- One unfinished run for each query and set of parameter values.
CREATE UNIQUE INDEX "query_runs_unfinished_key" ON "query_runs" ("query_id", "parameter_values_hash") WHERE "status" IN ('pending', 'running');
CREATE INDEX "query_runs_completed_idx" ON "query_runs" ("query_id", "completed_at" DESC, "id" DESC) WHERE "status" = 'completed';

ALTER TABLE "query_runs" ADD CONSTRAINT "query_runs_ended" CHECK (("status" IN ('completed', 'failed')) = ("completed_at" IS NOT NULL));
ALTER TABLE "query_runs" ADD CONSTRAINT "query_runs_failure" CHECK (("status" = 'failed') = ("failure_code" IS NOT NULL AND "failure_reason" IS NOT NULL));
ALTER TABLE "query_runs" ADD CONSTRAINT "query_runs_lease" CHECK ("status" <> 'running' OR ("lease_worker" IS NOT NULL AND "lease_until" IS NOT NULL));
ALTER TABLE "query_runs" ADD CONSTRAINT "query_runs_cut_by" CHECK ("cut_by" IN ('rows', 'bytes'));

-- Compressed already: trying to compress it again only costs time.
ALTER TABLE "query_results" ALTER COLUMN "gzipped_json" SET STORAGE EXTERNAL;

-- The states of a run, and the transactions in which it started and ended.
CREATE FUNCTION "query_runs_hold_states"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NEW.status <> 'pending' THEN
      RAISE EXCEPTION 'a run begins as pending, not as %', NEW.status USING ERRCODE = 'QB002';
    END IF;
    RETURN NEW;
  END IF;
  IF OLD.status IN ('completed', 'failed') THEN
    RAISE EXCEPTION 'run % has ended as % and cannot change', OLD.id, OLD.status USING ERRCODE = 'QB002';
  END IF;
  IF NEW.status = OLD.status THEN
    RETURN NEW;
  END IF;
  IF (OLD.status, NEW.status) NOT IN (('pending', 'running'), ('pending', 'failed'), ('running', 'completed'), ('running', 'failed')) THEN
    RAISE EXCEPTION 'run % cannot go from % to %', OLD.id, OLD.status, NEW.status USING ERRCODE = 'QB002';
  END IF;
  IF NEW.status = 'running' THEN
    NEW.started_xid := pg_current_xact_id();
  ELSE
    NEW.ended_xid := pg_current_xact_id();
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER "query_runs_hold_states" BEFORE INSERT OR UPDATE ON "query_runs"
  FOR EACH ROW EXECUTE FUNCTION "query_runs_hold_states"();

-- Tells whoever watches a run that there is something new to read.
CREATE FUNCTION "query_runs_tell_watchers"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('querybell_run_changed', NEW.id::text);
  RETURN NULL;
END $$;

CREATE TRIGGER "query_runs_tell_watchers" AFTER UPDATE ON "query_runs"
  FOR EACH ROW WHEN (OLD."status" <> NEW."status" OR OLD."progress_rows" <> NEW."progress_rows" OR OLD."cancel_requested_at" IS DISTINCT FROM NEW."cancel_requested_at")
  EXECUTE FUNCTION "query_runs_tell_watchers"();

-- Keeps what a listed row was before a change, and the transactions of its changes. A row as of a snapshot s
-- exists if created_xid is visible in s and deleted_xid is not; its values are those of the row itself if
-- changed_xid is visible in s, otherwise those of the version whose changed_xid is and whose replaced_xid is not.
CREATE FUNCTION "keep_row_version"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.created_xid := OLD.created_xid;
  NEW.changed_xid := pg_current_xact_id();
  NEW.deleted_xid := CASE WHEN NEW.deleted_at IS NULL THEN NULL ELSE coalesce(OLD.deleted_xid, pg_current_xact_id()) END;
  -- What the same transaction wrote before was never seen by anybody.
  IF OLD.changed_xid <> pg_current_xact_id() THEN
    INSERT INTO row_versions (row_id, changed_xid, replaced_xid, replaced_at, row)
    VALUES (OLD.id, OLD.changed_xid, pg_current_xact_id(), querybell_now(), to_jsonb(OLD));
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER "queries_keep_version" BEFORE UPDATE ON "queries"
  FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION "keep_row_version"();
CREATE TRIGGER "query_references_keep_version" BEFORE UPDATE ON "query_references"
  FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION "keep_row_version"();
