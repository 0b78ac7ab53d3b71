-- CreateEnum
CREATE TYPE "new_access" AS ENUM ('everybody', 'nobody');

-- CreateEnum
CREATE TYPE "access_level" AS ENUM ('see', 'edit', 'run', 'write');

-- AlterTable
ALTER TABLE "organizations" ADD COLUMN     "new_access" "new_access" NOT NULL DEFAULT 'everybody',
ADD COLUMN     "root_has_own_rights" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "folders" ADD COLUMN     "has_own_rights" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "analytical_database_configs" ADD COLUMN     "has_own_rights" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "automations" ADD COLUMN     "owner_id" UUID;

-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "database_ids" UUID[] DEFAULT ARRAY[]::UUID[],
ADD COLUMN     "folder_ids" UUID[] DEFAULT ARRAY[]::UUID[],
ADD COLUMN     "narrows_databases" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "narrows_folders" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "service_organization_id" UUID;

-- CreateTable
CREATE TABLE "access_grants" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "folder_id" UUID,
    "database_id" UUID,
    "group_id" UUID,
    "user_id" UUID,
    "level" "access_level" NOT NULL,

    CONSTRAINT "access_grants_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "access_grants_on_one" CHECK (folder_id IS NULL OR database_id IS NULL),
    CONSTRAINT "access_grants_for_one" CHECK (group_id IS NULL OR user_id IS NULL),
    CONSTRAINT "access_grants_level_fits" CHECK ((database_id IS NOT NULL) = (level IN ('run', 'write')))
);

-- CreateIndex
CREATE INDEX "access_grants_organization_id_group_id_idx" ON "access_grants"("organization_id", "group_id");

-- CreateIndex
CREATE INDEX "access_grants_organization_id_user_id_idx" ON "access_grants"("organization_id", "user_id");

-- AddForeignKey
ALTER TABLE "access_grants" ADD CONSTRAINT "access_grants_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "access_grants" ADD CONSTRAINT "access_grants_organization_id_folder_id_fkey" FOREIGN KEY ("organization_id", "folder_id") REFERENCES "folders"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "access_grants" ADD CONSTRAINT "access_grants_organization_id_database_id_fkey" FOREIGN KEY ("organization_id", "database_id") REFERENCES "analytical_database_configs"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "access_grants" ADD CONSTRAINT "access_grants_organization_id_group_id_fkey" FOREIGN KEY ("organization_id", "group_id") REFERENCES "groups"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "access_grants" ADD CONSTRAINT "access_grants_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "members"("organization_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automations" ADD CONSTRAINT "automations_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "users" ADD CONSTRAINT "users_service_organization_id_fkey" FOREIGN KEY ("service_organization_id") REFERENCES "organizations"("id") ON DELETE SET NULL ON UPDATE CASCADE;

CREATE INDEX users_service_organization_id_idx ON users (service_organization_id);
CREATE UNIQUE INDEX access_grants_once_key ON access_grants (organization_id, folder_id, database_id, group_id, user_id)
  NULLS NOT DISTINCT;
CREATE INDEX folders_with_own_rights_idx ON folders (organization_id) WHERE has_own_rights;
CREATE INDEX databases_with_own_rights_idx ON analytical_database_configs (organization_id) WHERE has_own_rights;
CREATE INDEX automations_owner_id_idx ON automations (owner_id);

-- Creates the view of one table, called t in the condition.
CREATE OR REPLACE FUNCTION create_rights_view(table_name text, condition text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE VIEW rights.%1$I AS SELECT * FROM public.%1$I t WHERE %2$s', table_name, condition);
END $$;

-- The schema rights has a view of each table whose rows not everybody may see, with the same name and columns. A connection
-- of a caller with narrowed rights finds the views instead of the tables, and shows what these settings name:
-- querybell.caller, querybell.folders and querybell.databases. Without them, the views are empty.
--
-- Executed after every migration, because a view keeps the columns that its table had when it was created. The conditions
-- are written as CASE so that they stay filters: as joins they would keep a list from reading along its index.
CREATE OR REPLACE FUNCTION create_rights_views() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  caller CONSTANT text := $sql$nullif(current_setting('querybell.caller', true), '')::uuid$sql$;
  -- In a folder that the caller sees, or in none and made by the caller.
  in_folder CONSTANT text := $sql$CASE
    WHEN coalesce(%1$s.folder_id, '00000000-0000-0000-0000-000000000000') IN (
      SELECT unnest(nullif(current_setting('querybell.folders', true), '')::uuid[])) THEN true
    WHEN %1$s.folder_id IS NULL THEN %1$s.created_by = nullif(current_setting('querybell.caller', true), '')::uuid
    ELSE false END$sql$;
  on_database CONSTANT text := $sql$CASE
    WHEN %s IN (SELECT unnest(nullif(current_setting('querybell.databases', true), '')::uuid[])) THEN true
    ELSE false END$sql$;
  of_query CONSTANT text := 'EXISTS (SELECT FROM rights.queries q WHERE q.id = t.query_id)';
  of_run CONSTANT text := 'EXISTS (SELECT FROM rights.automation_runs r WHERE r.id = t.run_id)';
BEGIN
  DROP SCHEMA IF EXISTS rights CASCADE;
  CREATE SCHEMA rights;
  PERFORM create_rights_view('folders', $sql$CASE
    WHEN t.id IN (SELECT unnest(nullif(current_setting('querybell.folders', true), '')::uuid[])) THEN true
    ELSE false END$sql$);
  PERFORM create_rights_view('analytical_database_configs', format(on_database, 't.id'));
  PERFORM create_rights_view('table_descriptions', format(on_database, 't.database_id'));
  PERFORM create_rights_view('uploaded_tables', format(
    'EXISTS (SELECT FROM public.upload_stores s WHERE s.organization_id = t.organization_id AND %s)',
    format(on_database, 's.database_id')));
  PERFORM create_rights_view('query_references', format(
    'CASE WHEN NOT (%s) THEN false WHEN t.query_id IS NULL THEN true
      ELSE EXISTS (SELECT FROM public.queries q WHERE q.id = t.query_id AND %s AND %s) END',
    format(in_folder, 't'), format(in_folder, 'q'), format(on_database, 'q.analytical_database_config_id')));
  PERFORM create_rights_view('automations', format(
    'CASE WHEN NOT (%s) THEN false ELSE NOT EXISTS (
      SELECT FROM public.automation_references u
      WHERE u.automation_id = t.id AND NOT EXISTS (SELECT FROM rights.query_references r WHERE r.id = u.reference_id)) END',
    format(in_folder, 't')));
  PERFORM create_rights_view('automation_runs',
    'EXISTS (SELECT FROM rights.automations a WHERE a.id = t.automation_id)');
  PERFORM create_rights_view('automation_steps', of_run);
  PERFORM create_rights_view('automation_results', of_run);
  -- A trial of a draft is seen by its author, the SQL of a model by those who see its automation.
  PERFORM create_rights_view('queries', format(
    'CASE WHEN NOT (%s) THEN false WHEN t.draft_id IS NOT NULL THEN t.created_by = %s
      WHEN t.automation_run_id IS NOT NULL THEN EXISTS (
        SELECT FROM rights.automation_runs r WHERE r.id = t.automation_run_id)
      ELSE %s END',
    format(on_database, 't.analytical_database_config_id'), caller, format(in_folder, 't')));
  PERFORM create_rights_view('query_drafts', 't.user_id = ' || caller);
  PERFORM create_rights_view('query_parameters', of_query);
  PERFORM create_rights_view('query_versions', of_query);
  PERFORM create_rights_view('query_runs', of_query);
  PERFORM create_rights_view('query_results', of_query);
END $$;

-- Whether the caller of this connection may change what is in a folder; null: in none.
CREATE OR REPLACE FUNCTION may_edit_folder(chosen_folder uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce(current_setting('querybell.caller', true), '') = '' OR coalesce(
    coalesce(chosen_folder, '00000000-0000-0000-0000-000000000000')
      = ANY (nullif(current_setting('querybell.editable_folders', true), '')::uuid[]), false)
$$;

-- Whether the caller of this connection may change an item: because of its folder or, in none, because they made it.
CREATE OR REPLACE FUNCTION may_edit_item(chosen_folder uuid, maker uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT may_edit_folder(chosen_folder)
    OR (chosen_folder IS NULL AND maker = nullif(current_setting('querybell.caller', true), '')::uuid)
$$;

-- Whether the caller of this connection may write SQL on a database, and look at its tables.
CREATE OR REPLACE FUNCTION may_write_sql(chosen_database uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce(current_setting('querybell.caller', true), '') = '' OR coalesce(
    chosen_database = ANY (nullif(current_setting('querybell.writable_databases', true), '')::uuid[]), false)
$$;

-- What a person may see and change in an organization, with an API key if one is given. No row: everything, because nothing
-- is narrowed there or because they are an admin or owner. The nil UUID stands for what is in no folder.
--
-- A folder without rights of its own has those of the folder around it, a top folder those of the organization's root. A
-- root or database without rights of its own is for everybody. A key that is narrowed to folders sees those below them too.
CREATE OR REPLACE FUNCTION querybell_rights(chosen_organization uuid, chosen_user uuid, chosen_key uuid DEFAULT NULL)
RETURNS TABLE (
  folders uuid[], editable_folders uuid[], databases uuid[], writable_databases uuid[]
) LANGUAGE plpgsql STABLE AS $$
DECLARE
  nil CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
  root_is_narrowed boolean;
  has_everything boolean;
  member_role role;
  key_folders uuid[];
  key_databases uuid[];
BEGIN
  SELECT o.root_has_own_rights INTO root_is_narrowed FROM public.organizations o WHERE o.id = chosen_organization;
  has_everything := NOT root_is_narrowed
    AND NOT EXISTS (SELECT FROM public.folders f WHERE f.organization_id = chosen_organization AND f.has_own_rights)
    AND NOT EXISTS (
      SELECT FROM public.analytical_database_configs d
      WHERE d.organization_id = chosen_organization AND d.has_own_rights);
  IF has_everything AND chosen_key IS NULL THEN
    RETURN;
  END IF;
  SELECT m.role INTO member_role FROM public.members m
  WHERE m.organization_id = chosen_organization AND m.user_id = chosen_user;
  IF member_role IS NULL THEN
    RETURN QUERY SELECT '{}'::uuid[], '{}'::uuid[], '{}'::uuid[], '{}'::uuid[];
    RETURN;
  END IF;
  has_everything := has_everything OR member_role IN ('owner', 'admin');
  IF has_everything AND chosen_key IS NULL THEN
    RETURN;
  END IF;
  SELECT CASE WHEN k.narrows_folders THEN k.folder_ids END, CASE WHEN k.narrows_databases THEN k.database_ids END
  INTO key_folders, key_databases FROM public.api_keys k
  WHERE k.id = chosen_key AND k.organization_id = chosen_organization;
  RETURN QUERY
  WITH RECURSIVE granted AS MATERIALIZED (
    SELECT g.folder_id, g.database_id, max(g.level) AS level FROM public.access_grants g
    WHERE g.organization_id = chosen_organization AND (
      (g.group_id IS NULL AND g.user_id IS NULL) OR g.user_id = chosen_user OR g.group_id IN (
        SELECT m.group_id FROM public.group_members m
        WHERE m.organization_id = chosen_organization AND m.user_id = chosen_user))
    GROUP BY g.folder_id, g.database_id
  ), tree AS (
    SELECT nil AS id, CASE WHEN has_everything OR NOT root_is_narrowed THEN 'edit'::access_level ELSE (
      SELECT g.level FROM granted g WHERE g.folder_id IS NULL AND g.database_id IS NULL) END AS level,
      key_folders IS NULL OR nil = ANY (key_folders) AS is_for_key
    UNION ALL
    SELECT f.id,
      CASE WHEN has_everything THEN 'edit' WHEN f.has_own_rights THEN (
        SELECT g.level FROM granted g WHERE g.folder_id = f.id) ELSE t.level END,
      key_folders IS NULL OR f.id = ANY (key_folders) OR (t.is_for_key AND t.id <> nil)
    FROM tree t JOIN public.folders f
      ON f.organization_id = chosen_organization AND f.parent_id IS NOT DISTINCT FROM nullif(t.id, nil)
  ), database_levels AS (
    SELECT d.id, CASE WHEN has_everything OR NOT d.has_own_rights THEN 'write'::access_level ELSE g.level END AS level
    FROM public.analytical_database_configs d LEFT JOIN granted g ON g.database_id = d.id
    WHERE d.organization_id = chosen_organization AND (key_databases IS NULL OR d.id = ANY (key_databases))
  )
  SELECT
    (SELECT coalesce(array_agg(t.id), '{}') FROM tree t WHERE t.level IS NOT NULL AND t.is_for_key),
    (SELECT coalesce(array_agg(t.id), '{}') FROM tree t
      WHERE t.level = 'edit' AND t.is_for_key AND member_role <> 'viewer'),
    (SELECT coalesce(array_agg(d.id), '{}') FROM database_levels d WHERE d.level IS NOT NULL),
    (SELECT coalesce(array_agg(d.id), '{}') FROM database_levels d WHERE d.level = 'write' AND member_role <> 'viewer');
END $$;

-- Whether a person sees an automation: its folder, its references and their queries. As the view rights.automations, for
-- what is done without a caller, such as notifications.
CREATE OR REPLACE FUNCTION querybell_sees_automation(chosen_organization uuid, chosen_user uuid, chosen_automation uuid)
RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
  nil CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
  mine record;
BEGIN
  SELECT * INTO mine FROM public.querybell_rights(chosen_organization, chosen_user);
  IF NOT FOUND THEN
    RETURN true;
  END IF;
  RETURN EXISTS (
    SELECT FROM public.automations a
    WHERE a.id = chosen_automation AND a.organization_id = chosen_organization
      AND (coalesce(a.folder_id, nil) = ANY (mine.folders) OR (a.folder_id IS NULL AND a.created_by = chosen_user))
      AND NOT EXISTS (
        SELECT FROM public.automation_references u JOIN public.query_references r ON r.id = u.reference_id
          LEFT JOIN public.queries q ON q.id = r.query_id
        WHERE u.automation_id = a.id AND NOT (
          (coalesce(r.folder_id, nil) = ANY (mine.folders) OR (r.folder_id IS NULL AND r.created_by = chosen_user))
          AND (q.id IS NULL OR (
            (coalesce(q.folder_id, nil) = ANY (mine.folders) OR (q.folder_id IS NULL AND q.created_by = chosen_user))
            AND q.analytical_database_config_id = ANY (mine.databases))))));
END $$;

-- Refuses SQL on a database, and descriptions of its tables, by a caller who may not write SQL on it.
CREATE OR REPLACE FUNCTION require_database_right() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  chosen_database uuid;
BEGIN
  IF TG_TABLE_NAME = 'queries' THEN
    chosen_database := NEW.analytical_database_config_id;
  ELSE
    chosen_database := NEW.database_id;
  END IF;
  IF NOT may_write_sql(chosen_database) THEN
    RAISE EXCEPTION 'may_not_write_sql' USING ERRCODE = 'QB008';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER queries_require_database_right BEFORE INSERT ON queries
  FOR EACH ROW WHEN (current_setting('querybell.caller', true) <> '')
  EXECUTE FUNCTION require_database_right();

CREATE OR REPLACE TRIGGER queries_require_right_for_sql BEFORE UPDATE ON queries
  FOR EACH ROW WHEN (current_setting('querybell.caller', true) <> '' AND (
    OLD.sql <> NEW.sql OR OLD.analytical_database_config_id <> NEW.analytical_database_config_id))
  EXECUTE FUNCTION require_database_right();

CREATE OR REPLACE TRIGGER table_descriptions_require_right BEFORE INSERT OR UPDATE ON table_descriptions
  FOR EACH ROW WHEN (current_setting('querybell.caller', true) <> '')
  EXECUTE FUNCTION require_database_right();

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

-- Refuses parameters of a query that a caller with narrowed rights may not change.
CREATE OR REPLACE FUNCTION require_query_right() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM public.queries q WHERE q.id = NEW.query_id AND may_edit_item(q.folder_id, q.created_by)) THEN
    RAISE EXCEPTION 'may_not_edit' USING ERRCODE = 'QB009';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER query_parameters_require_right BEFORE INSERT OR UPDATE ON query_parameters
  FOR EACH ROW WHEN (current_setting('querybell.caller', true) <> '')
  EXECUTE FUNCTION require_query_right();

-- Whether a person sees a reference: its folder, and its query with its database. As the view rights.query_references, for
-- what is done without a caller.
CREATE OR REPLACE FUNCTION querybell_sees_reference(chosen_organization uuid, chosen_user uuid, chosen_reference uuid)
RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
  nil CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
  mine record;
BEGIN
  SELECT * INTO mine FROM public.querybell_rights(chosen_organization, chosen_user);
  IF NOT FOUND THEN
    RETURN true;
  END IF;
  RETURN EXISTS (
    SELECT FROM public.query_references r LEFT JOIN public.queries q ON q.id = r.query_id
    WHERE r.id = chosen_reference AND r.organization_id = chosen_organization
      AND (coalesce(r.folder_id, nil) = ANY (mine.folders) OR (r.folder_id IS NULL AND r.created_by = chosen_user))
      AND (q.id IS NULL OR (
        (coalesce(q.folder_id, nil) = ANY (mine.folders) OR (q.folder_id IS NULL AND q.created_by = chosen_user))
        AND q.analytical_database_config_id = ANY (mine.databases))));
END $$;

SELECT create_rights_views();
