-- Unsaved SQL, which only its author sees.
CREATE TABLE "query_drafts" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "query_id" UUID,
    "query_version" INTEGER,
    "analytical_database_config_id" UUID NOT NULL,
    "sql" TEXT NOT NULL,
    "name" TEXT,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),
    "saved_query_id" UUID,

    CONSTRAINT "query_drafts_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "query_drafts_name_length" CHECK (char_length("name") BETWEEN 1 AND 200),
    CONSTRAINT "query_drafts_version_of_query" CHECK (("query_id" IS NULL) = ("query_version" IS NULL)),
    CONSTRAINT "query_drafts_saved_are_deleted" CHECK ("saved_query_id" IS NULL OR "deleted_at" IS NOT NULL)
);

CREATE INDEX "query_drafts_user_id_organization_id_updated_at_idx" ON "query_drafts"("user_id", "organization_id", "updated_at" DESC);
CREATE INDEX "query_drafts_organization_id_idx" ON "query_drafts"("organization_id");
CREATE INDEX "query_drafts_query_id_idx" ON "query_drafts"("query_id");
CREATE INDEX "query_drafts_expires_at_idx" ON "query_drafts"("expires_at");
-- One draft for each person and query.
CREATE UNIQUE INDEX "query_drafts_of_query_key" ON "query_drafts"("query_id", "user_id") WHERE "query_id" IS NOT NULL AND "deleted_at" IS NULL;

ALTER TABLE "query_drafts" ADD CONSTRAINT "query_drafts_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "query_drafts" ADD CONSTRAINT "query_drafts_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "query_drafts" ADD CONSTRAINT "query_drafts_query_id_fkey" FOREIGN KEY ("query_id") REFERENCES "queries"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "query_drafts" ADD CONSTRAINT "query_drafts_organization_id_analytical_database_config_id_fkey" FOREIGN KEY ("organization_id", "analytical_database_config_id") REFERENCES "analytical_database_configs"("organization_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- A trial is a run of a query that belongs to its draft and, as one that a model wrote, is deleted from the beginning.
ALTER TABLE "queries" ADD COLUMN "draft_id" UUID;
ALTER TABLE "queries" ADD CONSTRAINT "queries_draft_id_fkey" FOREIGN KEY ("draft_id") REFERENCES "query_drafts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "queries" ADD CONSTRAINT "queries_of_drafts_are_deleted"
  CHECK ("draft_id" IS NULL OR ("deleted_at" IS NOT NULL AND "deleted_xid" = "created_xid"));
-- The trials of a draft, newest first.
CREATE INDEX "queries_draft_id_idx" ON "queries" ("draft_id", "created_at" DESC, "id" DESC) WHERE "draft_id" IS NOT NULL;
-- Lists read along this index, so that they need not skip the queries of models and drafts.
DROP INDEX "queries_listed_idx";
CREATE INDEX "queries_listed_idx" ON "queries" ("organization_id", "created_at" DESC, "id" DESC) WHERE "automation_run_id" IS NULL AND "draft_id" IS NULL;

ALTER TABLE "query_runs" ADD COLUMN "trial_by" UUID;
