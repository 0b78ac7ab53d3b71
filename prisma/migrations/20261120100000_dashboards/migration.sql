ALTER TYPE "recent_kind" ADD VALUE 'dashboard';

ALTER TABLE "favourites" ADD COLUMN     "dashboard_id" UUID;

CREATE TABLE "dashboards" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "title" TEXT NOT NULL,
    "description" TEXT,
    "content" JSONB NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "version_by" UUID NOT NULL,
    "version_at" TIMESTAMPTZ(3) NOT NULL,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),
    "folder_id" UUID,
    "archived_at" TIMESTAMPTZ(3),
    "deletion_id" UUID,
    "last_run_at" TIMESTAMPTZ(3) NOT NULL DEFAULT '-infinity'::timestamptz,

    CONSTRAINT "dashboards_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "dashboard_versions" (
    "dashboard_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "organization_id" UUID NOT NULL,
    "content" JSONB NOT NULL,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "dashboard_versions_pkey" PRIMARY KEY ("dashboard_id","version")
);

CREATE TABLE "dashboard_references" (
    "dashboard_id" UUID NOT NULL,
    "reference_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,

    CONSTRAINT "dashboard_references_pkey" PRIMARY KEY ("dashboard_id","reference_id")
);

CREATE INDEX "dashboards_organization_id_created_at_id_idx" ON "dashboards"("organization_id", "created_at" DESC, "id" DESC);

CREATE INDEX "dashboard_versions_organization_id_idx" ON "dashboard_versions"("organization_id");

CREATE INDEX "dashboard_references_reference_id_idx" ON "dashboard_references"("reference_id");

CREATE INDEX "dashboard_references_organization_id_idx" ON "dashboard_references"("organization_id");

CREATE INDEX "favourites_dashboard_id_idx" ON "favourites"("dashboard_id");

CREATE UNIQUE INDEX "favourites_user_id_dashboard_id_key" ON "favourites"("user_id", "dashboard_id");

ALTER TABLE "dashboards" ADD CONSTRAINT "dashboards_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "dashboards" ADD CONSTRAINT "dashboards_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "dashboards" ADD CONSTRAINT "dashboards_organization_id_folder_id_fkey" FOREIGN KEY ("organization_id", "folder_id") REFERENCES "folders"("organization_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

ALTER TABLE "dashboard_versions" ADD CONSTRAINT "dashboard_versions_dashboard_id_fkey" FOREIGN KEY ("dashboard_id") REFERENCES "dashboards"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "dashboard_versions" ADD CONSTRAINT "dashboard_versions_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "dashboard_references" ADD CONSTRAINT "dashboard_references_dashboard_id_fkey" FOREIGN KEY ("dashboard_id") REFERENCES "dashboards"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "dashboard_references" ADD CONSTRAINT "dashboard_references_reference_id_fkey" FOREIGN KEY ("reference_id") REFERENCES "query_references"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "dashboard_references" ADD CONSTRAINT "dashboard_references_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "favourites" ADD CONSTRAINT "favourites_dashboard_id_fkey" FOREIGN KEY ("dashboard_id") REFERENCES "dashboards"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "dashboards" ADD CONSTRAINT "dashboards_title" CHECK (char_length("title") BETWEEN 1 AND 200);
ALTER TABLE "dashboards" ADD CONSTRAINT "dashboards_description" CHECK (char_length("description") <= 2000);
ALTER TABLE "dashboards" ADD CONSTRAINT "dashboards_deletion" CHECK ("deletion_id" IS NULL OR "deleted_at" IS NOT NULL);
ALTER TABLE "favourites" DROP CONSTRAINT "favourites_one_item";
ALTER TABLE "favourites" ADD CONSTRAINT "favourites_one_item" CHECK (num_nonnulls("query_id", "reference_id", "automation_id", "dashboard_id", "folder_id") = 1);

-- The orders of the list in the web app, and the search.
CREATE INDEX "dashboards_by_name_idx" ON "dashboards" ("organization_id", lower("title"), "id") WHERE "deleted_at" IS NULL;
CREATE INDEX "dashboards_by_change_idx" ON "dashboards" ("organization_id", "updated_at" DESC, "id" DESC) WHERE "deleted_at" IS NULL;
CREATE INDEX "dashboards_by_creator_idx" ON "dashboards" ("organization_id", "created_by", "updated_at" DESC, "id" DESC) WHERE "deleted_at" IS NULL;
CREATE INDEX "dashboards_by_last_run_idx" ON "dashboards" ("organization_id", "last_run_at" DESC, "id" DESC);
CREATE INDEX "dashboards_folder_id_idx" ON "dashboards" ("folder_id") WHERE "folder_id" IS NOT NULL;
CREATE INDEX "dashboards_deletion_id_idx" ON "dashboards" ("deletion_id") WHERE "deletion_id" IS NOT NULL;
CREATE INDEX "dashboards_search_idx" ON "dashboards" USING gin (querybell_search_words("title" || ' ' || coalesce("description", ''))) WHERE "deleted_at" IS NULL;

-- The schema rights has a view of each table whose rows not everybody may see, with the same name and columns. A connection
-- of a caller with narrowed rights finds the views instead of the tables, and shows what these settings name:
-- querybell.caller, querybell.folders and querybell.databases. Without them, the views are empty. Runs with values of a
-- person are shown to those whose own values, in querybell.values, are the same.
--
-- Executed after every migration, because a view keeps the columns that its table had when it was created. The conditions
-- are written as CASE so that they stay filters: as joins they would keep a list from reading along its index. OFFSET 0
-- changes nothing in a result, but keeps Postgres from reading a whole table to answer EXISTS for a few rows. A setting is
-- read in a SELECT of its own, or the planner would read it too, to estimate rows: that costs as much as executing.
CREATE OR REPLACE FUNCTION create_rights_views() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  caller CONSTANT text := $sql$nullif(current_setting('querybell.caller', true), '')::uuid$sql$;
  -- In a folder that the caller sees, or in none and made by the caller.
  in_folder CONSTANT text := $sql$CASE
    WHEN coalesce(%1$s.folder_id, '00000000-0000-0000-0000-000000000000') IN (
      SELECT unnest((SELECT nullif(current_setting('querybell.folders', true), '')::uuid[]))) THEN true
    WHEN %1$s.folder_id IS NULL THEN %1$s.created_by = nullif(current_setting('querybell.caller', true), '')::uuid
    ELSE false END$sql$;
  on_database CONSTANT text := $sql$CASE
    WHEN %s = ANY ((SELECT nullif(current_setting('querybell.databases', true), '')::uuid[])::uuid[]) THEN true
    ELSE false END$sql$;
  -- All charts whose results a query reads are seen too. Few queries read any.
  reads_seen CONSTANT text := $sql$CASE
    WHEN EXISTS (SELECT FROM public.query_uses u WHERE u.query_id = %1$s OFFSET 0) THEN public.sees_used_charts(
      %1$s, nullif(current_setting('querybell.caller', true), '')::uuid,
      nullif(current_setting('querybell.folders', true), '')::uuid[],
      nullif(current_setting('querybell.databases', true), '')::uuid[])
    ELSE true END$sql$;
  of_query CONSTANT text := 'EXISTS (SELECT FROM rights.queries q WHERE q.id = t.query_id OFFSET 0)';
  of_run CONSTANT text := 'EXISTS (SELECT FROM rights.automation_runs r WHERE r.id = t.run_id OFFSET 0)';
BEGIN
  DROP SCHEMA IF EXISTS rights CASCADE;
  CREATE SCHEMA rights;
  PERFORM create_rights_view('folders', $sql$CASE
    WHEN t.id IN (SELECT unnest((SELECT nullif(current_setting('querybell.folders', true), '')::uuid[]))) THEN true
    ELSE false END$sql$);
  PERFORM create_rights_view('analytical_database_configs', format(on_database, 't.id'));
  PERFORM create_rights_view('table_descriptions', format(on_database, 't.database_id'));
  PERFORM create_rights_view('uploaded_tables', format(
    'EXISTS (SELECT FROM public.upload_stores s WHERE s.organization_id = t.organization_id AND %s OFFSET 0)',
    format(on_database, 's.database_id')));
  PERFORM create_rights_view('query_references', format(
    'CASE WHEN NOT (%s) THEN false WHEN t.query_id IS NULL THEN true
      ELSE EXISTS (
        SELECT FROM public.queries q
        WHERE q.id = t.query_id AND CASE WHEN q.folder_id = t.folder_id THEN true ELSE %s END AND %s OFFSET 0)
        AND %s END',
    format(in_folder, 't'), format(in_folder, 'q'), format(on_database, 'q.analytical_database_config_id'),
    format(reads_seen, 't.query_id')));
  PERFORM create_rights_view('automations', format(
    'CASE WHEN NOT (%s) THEN false ELSE NOT EXISTS (
      SELECT FROM public.automation_references u
      WHERE u.automation_id = t.id AND NOT EXISTS (
        SELECT FROM rights.query_references r WHERE r.id = u.reference_id OFFSET 0) OFFSET 0) END',
    format(in_folder, 't')));
  -- A dashboard is seen with tiles that are not: each of them says so.
  PERFORM create_rights_view('dashboards', format(in_folder, 't'));
  PERFORM create_rights_view('dashboard_versions',
    'EXISTS (SELECT FROM rights.dashboards d WHERE d.id = t.dashboard_id OFFSET 0)');
  PERFORM create_rights_view('automation_runs',
    'EXISTS (SELECT FROM rights.automations a WHERE a.id = t.automation_id OFFSET 0)');
  PERFORM create_rights_view('automation_steps', of_run);
  PERFORM create_rights_view('automation_results', of_run);
  -- A trial of a draft is seen by its author, the SQL of a model by those who see its automation.
  PERFORM create_rights_view('queries', format(
    'CASE WHEN NOT (%s) THEN false WHEN t.draft_id IS NOT NULL THEN t.created_by = %s
      WHEN t.automation_run_id IS NOT NULL THEN public.sees_automation_run(t.automation_run_id)
      WHEN NOT (%s) THEN false ELSE %s END',
    format(on_database, 't.analytical_database_config_id'), caller, format(in_folder, 't'), format(reads_seen, 't.id')));
  PERFORM create_rights_view('query_drafts', 't.user_id = ' || caller);
  PERFORM create_rights_view('query_parameters', of_query);
  PERFORM create_rights_view('query_versions', of_query);
  PERFORM create_rights_view('query_runs', of_query || ' AND public.has_own_values(t.system_values)');
  -- A result from before a change of the database's policies or roles is shown to nobody.
  PERFORM create_rights_view('query_results',
    'EXISTS (
      SELECT FROM rights.query_runs r JOIN public.queries q ON q.id = r.query_id
        JOIN public.analytical_database_configs d ON d.id = q.analytical_database_config_id
      WHERE r.id = t.run_id AND r.row_rights_version = d.row_rights_version OFFSET 0)');
END $$;

-- Counts the versions of a dashboard, and keeps its content before a change. Pages save every change, so what one person wrote
-- within ten minutes of the last kept version is replaced and not kept. The last 100 are kept.
CREATE OR REPLACE FUNCTION keep_dashboard_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.version_by <> NEW.version_by OR NOT EXISTS (
    SELECT FROM public.dashboard_versions v
    WHERE v.dashboard_id = OLD.id AND v.created_at > NEW.version_at - interval '10 minutes') THEN
    INSERT INTO public.dashboard_versions (dashboard_id, version, organization_id, content, created_by, created_at)
    VALUES (OLD.id, OLD.version, OLD.organization_id, OLD.content, OLD.version_by, OLD.version_at);
    DELETE FROM public.dashboard_versions v WHERE v.dashboard_id = OLD.id AND v.version IN (
      SELECT o.version FROM public.dashboard_versions o WHERE o.dashboard_id = OLD.id ORDER BY o.version DESC OFFSET 100);
  END IF;
  NEW.version := OLD.version + 1;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER dashboards_count_versions BEFORE UPDATE OF content ON dashboards
  FOR EACH ROW WHEN (OLD.content <> NEW.content)
  EXECUTE FUNCTION keep_dashboard_version();

-- Refuses what a caller with narrowed rights may not change because of its folder. The setting querybell.editable_folders
-- names the folders whose content they may change; what is in no folder is also changed by the person who made it.
CREATE OR REPLACE FUNCTION require_folder_right() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'folders' THEN
    IF (TG_OP <> 'INSERT' AND NOT may_edit_folder(OLD.id))
      OR (TG_OP = 'INSERT' AND NOT may_edit_folder(NEW.parent_id))
      OR (TG_OP = 'DELETE' AND NOT may_edit_folder(OLD.parent_id)) THEN
      RAISE EXCEPTION 'may_not_edit' USING ERRCODE = 'QB009';
    END IF;
    IF TG_OP = 'UPDATE' THEN
      IF OLD.parent_id IS DISTINCT FROM NEW.parent_id
        AND NOT (may_edit_folder(OLD.parent_id) AND may_edit_folder(NEW.parent_id)) THEN
        RAISE EXCEPTION 'may_not_edit' USING ERRCODE = 'QB009';
      END IF;
    END IF;
    RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
  END IF;
  IF (TG_OP = 'UPDATE' AND NOT may_edit_item(OLD.folder_id, OLD.created_by))
    OR NOT may_edit_item(NEW.folder_id, NEW.created_by) THEN
    RAISE EXCEPTION 'may_not_edit' USING ERRCODE = 'QB009';
  END IF;
  RETURN NEW;
END $$;

-- Without a caller, the service itself or somebody who may change everything is at work.
CREATE OR REPLACE TRIGGER folders_require_right BEFORE INSERT OR UPDATE OR DELETE ON folders
  FOR EACH ROW WHEN (current_setting('querybell.caller', true) <> '')
  EXECUTE FUNCTION require_folder_right();

CREATE OR REPLACE TRIGGER automations_require_right BEFORE INSERT OR UPDATE ON automations
  FOR EACH ROW WHEN (current_setting('querybell.caller', true) <> '')
  EXECUTE FUNCTION require_folder_right();

CREATE OR REPLACE TRIGGER query_references_require_right BEFORE INSERT OR UPDATE ON query_references
  FOR EACH ROW WHEN (current_setting('querybell.caller', true) <> '')
  EXECUTE FUNCTION require_folder_right();

-- A trial of a draft is in no folder.
CREATE OR REPLACE TRIGGER queries_require_right BEFORE INSERT OR UPDATE ON queries
  FOR EACH ROW WHEN (current_setting('querybell.caller', true) <> '' AND NEW.draft_id IS NULL)
  EXECUTE FUNCTION require_folder_right();

-- Whoever sees a dashboard may refresh it, which writes only last_run_at.
CREATE OR REPLACE TRIGGER dashboards_require_right BEFORE INSERT OR UPDATE OF title, description, content, folder_id,
  archived_at, deleted_at, deletion_id ON dashboards
  FOR EACH ROW WHEN (current_setting('querybell.caller', true) <> '')
  EXECUTE FUNCTION require_folder_right();
