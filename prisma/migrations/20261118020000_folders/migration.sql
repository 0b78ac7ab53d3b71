-- AlterTable
ALTER TABLE "automations" ADD COLUMN     "deletion_id" UUID,
ADD COLUMN     "folder_id" UUID;

-- AlterTable
ALTER TABLE "queries" ADD COLUMN     "archived_at" TIMESTAMPTZ(3),
ADD COLUMN     "deletion_id" UUID,
ADD COLUMN     "description" TEXT,
ADD COLUMN     "folder_id" UUID;

-- AlterTable
ALTER TABLE "query_references" ADD COLUMN     "archived_at" TIMESTAMPTZ(3),
ADD COLUMN     "deletion_id" UUID,
ADD COLUMN     "folder_id" UUID;

-- CreateTable
CREATE TABLE "folders" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "parent_id" UUID,
    "name" TEXT NOT NULL,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "folders_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "favourites" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "query_id" UUID,
    "reference_id" UUID,
    "automation_id" UUID,
    "folder_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "favourites_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "deletions" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "deleted_by" UUID NOT NULL,
    "deleted_at" TIMESTAMPTZ(3) NOT NULL,
    "undone_at" TIMESTAMPTZ(3),

    CONSTRAINT "deletions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "query_last_runs" (
    "query_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "last_run_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "query_last_runs_pkey" PRIMARY KEY ("query_id")
);

-- CreateTable
CREATE TABLE "automation_last_runs" (
    "automation_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "last_run_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "automation_last_runs_pkey" PRIMARY KEY ("automation_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "folders_organization_id_id_key" ON "folders"("organization_id", "id");
CREATE INDEX "folders_organization_id_parent_id_idx" ON "folders"("organization_id", "parent_id");
CREATE UNIQUE INDEX "favourites_user_id_query_id_key" ON "favourites"("user_id", "query_id");
CREATE UNIQUE INDEX "favourites_user_id_reference_id_key" ON "favourites"("user_id", "reference_id");
CREATE UNIQUE INDEX "favourites_user_id_automation_id_key" ON "favourites"("user_id", "automation_id");
CREATE UNIQUE INDEX "favourites_user_id_folder_id_key" ON "favourites"("user_id", "folder_id");
CREATE INDEX "favourites_organization_id_user_id_created_at_id_idx" ON "favourites"("organization_id", "user_id", "created_at" DESC, "id" DESC);
CREATE INDEX "favourites_query_id_idx" ON "favourites"("query_id");
CREATE INDEX "favourites_reference_id_idx" ON "favourites"("reference_id");
CREATE INDEX "favourites_automation_id_idx" ON "favourites"("automation_id");
CREATE INDEX "favourites_folder_id_idx" ON "favourites"("folder_id");
CREATE INDEX "deletions_organization_id_idx" ON "deletions"("organization_id");
CREATE INDEX "query_last_runs_listed_idx" ON "query_last_runs"("organization_id", "last_run_at" DESC, "query_id" DESC);
CREATE INDEX "automation_last_runs_listed_idx" ON "automation_last_runs"("organization_id", "last_run_at" DESC, "automation_id" DESC);

-- AddForeignKey
ALTER TABLE "folders" ADD CONSTRAINT "folders_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "folders" ADD CONSTRAINT "folders_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "folders" ADD CONSTRAINT "folders_organization_id_parent_id_fkey" FOREIGN KEY ("organization_id", "parent_id") REFERENCES "folders"("organization_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;
ALTER TABLE "favourites" ADD CONSTRAINT "favourites_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "members"("organization_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "favourites" ADD CONSTRAINT "favourites_query_id_fkey" FOREIGN KEY ("query_id") REFERENCES "queries"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "favourites" ADD CONSTRAINT "favourites_reference_id_fkey" FOREIGN KEY ("reference_id") REFERENCES "query_references"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "favourites" ADD CONSTRAINT "favourites_automation_id_fkey" FOREIGN KEY ("automation_id") REFERENCES "automations"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "favourites" ADD CONSTRAINT "favourites_folder_id_fkey" FOREIGN KEY ("folder_id") REFERENCES "folders"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "deletions" ADD CONSTRAINT "deletions_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "deletions" ADD CONSTRAINT "deletions_deleted_by_fkey" FOREIGN KEY ("deleted_by") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "query_last_runs" ADD CONSTRAINT "query_last_runs_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "query_last_runs" ADD CONSTRAINT "query_last_runs_query_id_fkey" FOREIGN KEY ("query_id") REFERENCES "queries"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "automation_last_runs" ADD CONSTRAINT "automation_last_runs_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "automation_last_runs" ADD CONSTRAINT "automation_last_runs_automation_id_fkey" FOREIGN KEY ("automation_id") REFERENCES "automations"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "queries" ADD CONSTRAINT "queries_organization_id_folder_id_fkey" FOREIGN KEY ("organization_id", "folder_id") REFERENCES "folders"("organization_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;
ALTER TABLE "query_references" ADD CONSTRAINT "query_references_organization_id_folder_id_fkey" FOREIGN KEY ("organization_id", "folder_id") REFERENCES "folders"("organization_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;
ALTER TABLE "automations" ADD CONSTRAINT "automations_organization_id_folder_id_fkey" FOREIGN KEY ("organization_id", "folder_id") REFERENCES "folders"("organization_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- Folders

ALTER TABLE "folders" ADD CONSTRAINT "folders_name" CHECK (char_length("name") BETWEEN 1 AND 100);
ALTER TABLE "folders" ADD CONSTRAINT "folders_not_their_own_parents" CHECK ("parent_id" <> "id");
CREATE UNIQUE INDEX "folders_sibling_names_key" ON "folders" ("organization_id", "parent_id", lower("name")) NULLS NOT DISTINCT;

-- One item in each row.
ALTER TABLE "favourites" ADD CONSTRAINT "favourites_one_item" CHECK (num_nonnulls("query_id", "reference_id", "automation_id", "folder_id") = 1);

ALTER TABLE "queries" ADD CONSTRAINT "queries_description" CHECK (char_length("description") <= 2000);

-- What is in a deletion is deleted.
ALTER TABLE "queries" ADD CONSTRAINT "queries_deletion" CHECK ("deletion_id" IS NULL OR "deleted_at" IS NOT NULL);
ALTER TABLE "query_references" ADD CONSTRAINT "query_references_deletion" CHECK ("deletion_id" IS NULL OR "deleted_at" IS NOT NULL);
ALTER TABLE "automations" ADD CONSTRAINT "automations_deletion" CHECK ("deletion_id" IS NULL OR "deleted_at" IS NOT NULL);

-- The orders of the lists in the web app. A query without a name is listed by the first line of its SQL.
CREATE INDEX "queries_by_name_idx" ON "queries" ("organization_id", lower(coalesce("name", left(btrim(split_part(btrim("sql", E' \t\r\n'), E'\n', 1)), 200))), "id") WHERE "deleted_at" IS NULL;
CREATE INDEX "queries_by_change_idx" ON "queries" ("organization_id", "updated_at" DESC, "id" DESC) WHERE "deleted_at" IS NULL;
CREATE INDEX "queries_by_creator_idx" ON "queries" ("organization_id", "created_by", "updated_at" DESC, "id" DESC) WHERE "deleted_at" IS NULL;
CREATE INDEX "queries_folder_id_idx" ON "queries" ("folder_id") WHERE "folder_id" IS NOT NULL;
CREATE INDEX "queries_deletion_id_idx" ON "queries" ("deletion_id") WHERE "deletion_id" IS NOT NULL;

CREATE INDEX "query_references_by_name_idx" ON "query_references" ("organization_id", lower("title"), "id") WHERE "deleted_at" IS NULL;
CREATE INDEX "query_references_by_change_idx" ON "query_references" ("organization_id", "updated_at" DESC, "id" DESC) WHERE "deleted_at" IS NULL;
CREATE INDEX "query_references_by_creator_idx" ON "query_references" ("organization_id", "created_by", "updated_at" DESC, "id" DESC) WHERE "deleted_at" IS NULL;
CREATE INDEX "query_references_folder_id_idx" ON "query_references" ("folder_id") WHERE "folder_id" IS NOT NULL;
CREATE INDEX "query_references_deletion_id_idx" ON "query_references" ("deletion_id") WHERE "deletion_id" IS NOT NULL;

CREATE INDEX "automations_by_name_idx" ON "automations" ("organization_id", lower("name"), "id") WHERE "deleted_at" IS NULL;
CREATE INDEX "automations_by_change_idx" ON "automations" ("organization_id", "updated_at" DESC, "id" DESC) WHERE "deleted_at" IS NULL;
CREATE INDEX "automations_by_creator_idx" ON "automations" ("organization_id", "created_by", "updated_at" DESC, "id" DESC) WHERE "deleted_at" IS NULL;
CREATE INDEX "automations_folder_id_idx" ON "automations" ("folder_id") WHERE "folder_id" IS NOT NULL;
CREATE INDEX "automations_deletion_id_idx" ON "automations" ("deletion_id") WHERE "deletion_id" IS NOT NULL;

-- Descriptions are found too.
DROP INDEX "queries_search_idx";
CREATE INDEX "queries_search_idx" ON "queries" USING gin (querybell_search_words(coalesce("name", '') || ' ' || coalesce("description", '') || ' ' || "sql")) WHERE "deleted_at" IS NULL;

INSERT INTO "query_last_runs" ("query_id", "organization_id", "last_run_at")
SELECT q."id", q."organization_id", coalesce((SELECT max(r."created_at") FROM "query_runs" r WHERE r."query_id" = q."id"), '-infinity')
FROM "queries" q WHERE q."deleted_at" IS NULL;

INSERT INTO "automation_last_runs" ("automation_id", "organization_id", "last_run_at")
SELECT a."id", a."organization_id", coalesce((
  SELECT max(r."created_at") FROM "automation_runs" r WHERE r."automation_id" = a."id" AND NOT r."is_trial"), '-infinity')
FROM "automations" a WHERE a."deleted_at" IS NULL;

-- Folders are a tree: without cycles, at most 8 levels deep, at most 1,000 in an organization. Changes of one
-- organization's tree take turns: two moves that are valid alone could make a cycle together.
--
-- In plpgsql, because every statement of a function sees what was committed before it began, so after the lock was granted.
CREATE OR REPLACE FUNCTION folders_keep_tree() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  levels_above int;
  levels_below int;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('folders:' || NEW.organization_id, 0));
  IF TG_OP = 'INSERT' AND (SELECT count(*) FROM folders WHERE organization_id = NEW.organization_id) >= 1000 THEN
    RAISE EXCEPTION 'too_many_folders' USING ERRCODE = 'QB006';
  END IF;
  WITH RECURSIVE above AS (
    SELECT f.id, f.parent_id, 1 AS level FROM folders f
    WHERE f.organization_id = NEW.organization_id AND f.id = NEW.parent_id
    UNION ALL
    SELECT f.id, f.parent_id, a.level + 1 FROM above a
      JOIN folders f ON f.organization_id = NEW.organization_id AND f.id = a.parent_id
    WHERE a.id <> NEW.id
  )
  SELECT CASE WHEN bool_or(id = NEW.id) THEN NULL ELSE coalesce(max(level), 0) END INTO levels_above FROM above;
  IF levels_above IS NULL THEN
    RAISE EXCEPTION 'folder_cycle' USING ERRCODE = 'QB004';
  END IF;
  WITH RECURSIVE below AS (
    SELECT NEW.id AS id, 1 AS level
    UNION ALL
    SELECT f.id, b.level + 1 FROM below b
      JOIN folders f ON f.organization_id = NEW.organization_id AND f.parent_id = b.id
  )
  SELECT max(level) INTO levels_below FROM below;
  IF levels_above + levels_below > 8 THEN
    RAISE EXCEPTION 'folders_too_deep' USING ERRCODE = 'QB005';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER folders_keep_tree BEFORE INSERT OR UPDATE OF parent_id ON folders
  FOR EACH ROW
  EXECUTE FUNCTION folders_keep_tree();

-- Keeps when each automation last ran, as keep_query_last_runs does for queries. Trials do not count.
CREATE OR REPLACE FUNCTION keep_automation_last_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'automations' THEN
    INSERT INTO automation_last_runs (automation_id, organization_id, last_run_at)
    SELECT id, organization_id, '-infinity' FROM inserted WHERE deleted_at IS NULL;
  ELSE
    UPDATE automation_last_runs l SET last_run_at = latest.created_at
    FROM (
      SELECT automation_id, max(created_at) AS created_at FROM inserted WHERE NOT is_trial GROUP BY automation_id
    ) latest
    WHERE l.automation_id = latest.automation_id AND l.last_run_at < latest.created_at;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER automations_keep_last_runs AFTER INSERT ON automations
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT
  EXECUTE FUNCTION keep_automation_last_runs();

CREATE OR REPLACE TRIGGER automation_runs_keep_last_runs AFTER INSERT ON automation_runs
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT
  EXECUTE FUNCTION keep_automation_last_runs();

-- Keeps when each query last ran. Once for each statement, so that inserting many rows stays fast. Claims and ends of runs
-- do not insert runs, so they never wait for these rows.
CREATE OR REPLACE FUNCTION keep_query_last_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'queries' THEN
    -- No list shows a query that is deleted from the beginning: the SQL of a model.
    INSERT INTO query_last_runs (query_id, organization_id, last_run_at)
    SELECT id, organization_id, '-infinity' FROM inserted WHERE deleted_at IS NULL;
  ELSE
    UPDATE query_last_runs l SET last_run_at = latest.created_at
    FROM (SELECT query_id, max(created_at) AS created_at FROM inserted GROUP BY query_id) latest
    WHERE l.query_id = latest.query_id AND l.last_run_at < latest.created_at;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER queries_keep_last_runs AFTER INSERT ON queries
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT
  EXECUTE FUNCTION keep_query_last_runs();

CREATE OR REPLACE TRIGGER query_runs_keep_last_runs AFTER INSERT ON query_runs
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT
  EXECUTE FUNCTION keep_query_last_runs();

-- Keeps what a listed row was before a change, and the transactions of its changes. A row as of a snapshot s
-- exists if created_xid is visible in s and its deleted_at in s is null; its values are those of the row itself if
-- changed_xid is visible in s, otherwise those of the version whose changed_xid is and whose replaced_xid is not.
-- deleted_xid is the last deletion that was not undone: if it is visible in s, the row does not exist in s.
CREATE OR REPLACE FUNCTION keep_row_version() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  -- What no list with a snapshot shows. Moving a hundred queries need not copy their SQL.
  unlisted CONSTANT text[] := '{folder_id,archived_at}';
BEGIN
  NEW.created_xid := OLD.created_xid;
  NEW.changed_xid := OLD.changed_xid;
  NEW.deleted_xid := OLD.deleted_xid;
  IF to_jsonb(NEW) - unlisted = to_jsonb(OLD) - unlisted THEN
    RETURN NEW;
  END IF;
  NEW.changed_xid := pg_current_xact_id();
  NEW.deleted_xid := CASE WHEN NEW.deleted_at IS NULL THEN NULL ELSE coalesce(OLD.deleted_xid, pg_current_xact_id()) END;
  -- What the same transaction wrote before was never seen by anybody.
  IF OLD.changed_xid <> pg_current_xact_id() THEN
    INSERT INTO row_versions (row_id, changed_xid, replaced_xid, replaced_at, row)
    VALUES (OLD.id, OLD.changed_xid, pg_current_xact_id(), querybell_now(), to_jsonb(OLD));
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER queries_keep_version BEFORE UPDATE ON queries
  FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION keep_row_version();

CREATE OR REPLACE TRIGGER query_references_keep_version BEFORE UPDATE ON query_references
  FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION keep_row_version();
