-- AlterTable
ALTER TABLE "analytical_database_configs" ADD COLUMN     "group_roles" JSONB NOT NULL DEFAULT '[]',
ADD COLUMN     "row_policies" JSONB NOT NULL DEFAULT '[]';

-- AlterTable
ALTER TABLE "members" ADD COLUMN     "attributes" JSONB NOT NULL DEFAULT '{}';

-- AlterTable
ALTER TABLE "organizations" ADD COLUMN     "has_row_rights" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "query_runs" ADD COLUMN     "system_values" JSONB;

-- For the erasure of a person.
CREATE INDEX query_runs_user_email_idx ON query_runs ((system_values ->> 'user_email')) WHERE system_values ? 'user_email';

-- CreateTable
CREATE TABLE "seen_as" (
    "session_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "seen_as_pkey" PRIMARY KEY ("session_id")
);

-- CreateIndex
CREATE INDEX "seen_as_organization_id_user_id_idx" ON "seen_as"("organization_id", "user_id");

-- AddForeignKey
ALTER TABLE "seen_as" ADD CONSTRAINT "seen_as_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "seen_as" ADD CONSTRAINT "seen_as_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "members"("organization_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A process of the release before calls it with eleven arguments: the twelfth has a default. Both forms together would be
-- ambiguous for it.
DROP FUNCTION join_query_run(uuid, int, uuid, text, jsonb, jsonb, bytea, text, jsonb, timestamptz, boolean);

-- The schema rights has a view of each table whose rows not everybody may see, with the same name and columns. A connection
-- of a caller with narrowed rights finds the views instead of the tables, and shows what these settings name:
-- querybell.caller, querybell.folders and querybell.databases. Without them, the views are empty. Runs with values of a
-- person are shown to those whose own values, in querybell.values, are the same.
--
-- Executed after every migration, because a view keeps the columns that its table had when it was created. The conditions
-- are written as CASE so that they stay filters: as joins they would keep a list from reading along its index. OFFSET 0
-- changes nothing in a result, but keeps Postgres from reading a whole table to answer EXISTS for a few rows.
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
  of_query CONSTANT text := 'EXISTS (SELECT FROM rights.queries q WHERE q.id = t.query_id OFFSET 0)';
  of_run CONSTANT text := 'EXISTS (SELECT FROM rights.automation_runs r WHERE r.id = t.run_id OFFSET 0)';
BEGIN
  DROP SCHEMA IF EXISTS rights CASCADE;
  CREATE SCHEMA rights;
  PERFORM create_rights_view('folders', $sql$CASE
    WHEN t.id IN (SELECT unnest(nullif(current_setting('querybell.folders', true), '')::uuid[])) THEN true
    ELSE false END$sql$);
  PERFORM create_rights_view('analytical_database_configs', format(on_database, 't.id'));
  PERFORM create_rights_view('table_descriptions', format(on_database, 't.database_id'));
  PERFORM create_rights_view('uploaded_tables', format(
    'EXISTS (SELECT FROM public.upload_stores s WHERE s.organization_id = t.organization_id AND %s OFFSET 0)',
    format(on_database, 's.database_id')));
  PERFORM create_rights_view('query_references', format(
    'CASE WHEN NOT (%s) THEN false WHEN t.query_id IS NULL THEN true
      ELSE EXISTS (SELECT FROM public.queries q WHERE q.id = t.query_id AND %s AND %s OFFSET 0) END',
    format(in_folder, 't'), format(in_folder, 'q'), format(on_database, 'q.analytical_database_config_id')));
  PERFORM create_rights_view('automations', format(
    'CASE WHEN NOT (%s) THEN false ELSE NOT EXISTS (
      SELECT FROM public.automation_references u
      WHERE u.automation_id = t.id AND NOT EXISTS (
        SELECT FROM rights.query_references r WHERE r.id = u.reference_id OFFSET 0) OFFSET 0) END',
    format(in_folder, 't')));
  PERFORM create_rights_view('automation_runs',
    'EXISTS (SELECT FROM rights.automations a WHERE a.id = t.automation_id OFFSET 0)');
  PERFORM create_rights_view('automation_steps', of_run);
  PERFORM create_rights_view('automation_results', of_run);
  -- A trial of a draft is seen by its author, the SQL of a model by those who see its automation.
  PERFORM create_rights_view('queries', format(
    'CASE WHEN NOT (%s) THEN false WHEN t.draft_id IS NOT NULL THEN t.created_by = %s
      WHEN t.automation_run_id IS NOT NULL THEN EXISTS (
        SELECT FROM rights.automation_runs r WHERE r.id = t.automation_run_id OFFSET 0)
      ELSE %s END',
    format(on_database, 't.analytical_database_config_id'), caller, format(in_folder, 't')));
  PERFORM create_rights_view('query_drafts', 't.user_id = ' || caller);
  PERFORM create_rights_view('query_parameters', of_query);
  PERFORM create_rights_view('query_versions', of_query);
  PERFORM create_rights_view('query_runs', of_query || $sql$ AND (t.system_values IS NULL OR t.system_values <@
    coalesce(nullif(current_setting('querybell.values', true), ''), '{}')::jsonb)$sql$);
  PERFORM create_rights_view('query_results',
    'EXISTS (SELECT FROM rights.query_runs r WHERE r.id = t.run_id OFFSET 0)');
END $$;

-- Joins the unfinished run of a query with these values, or inserts one. outcome: created; joined; cancelling, when the
-- unfinished run is to end before another can start; changed, when this is not the query's version any more.
--
-- In plpgsql, because every statement of a function sees what was committed before it began: the unfinished run is looked for
-- after the query is locked.
CREATE OR REPLACE FUNCTION join_query_run(
  chosen_query uuid, expected_version int, new_run uuid, triggered_by text, new_values jsonb, new_types jsonb,
  values_hash bytea, new_rendered_sql text, new_statement jsonb, new_time timestamptz, is_alone boolean,
  new_system_values jsonb DEFAULT NULL
) RETURNS TABLE (outcome text, run query_runs) LANGUAGE plpgsql AS $$
DECLARE
  in_organization uuid;
BEGIN
  PERFORM set_config('querybell.notices', CASE WHEN is_alone THEN 'after_commit' ELSE '' END, true);
  SELECT q.organization_id INTO in_organization FROM queries q
  WHERE q.id = chosen_query AND q.version = expected_version AND q.deleted_at IS NULL FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    outcome := 'changed';
    RETURN NEXT;
    RETURN;
  END IF;
  SELECT * INTO run FROM query_runs r
  WHERE r.query_id = chosen_query AND r.parameter_values_hash = values_hash AND r.status IN ('pending', 'running');
  IF FOUND THEN
    outcome := CASE WHEN run.cancel_requested_at IS NULL THEN 'joined' ELSE 'cancelling' END;
  ELSE
    INSERT INTO query_runs (id, organization_id, query_id, query_version, trigger_id, parameter_values, parameter_types,
      parameter_values_hash, rendered_sql, statement, created_at, system_values)
    VALUES (new_run, in_organization, chosen_query, expected_version, triggered_by, new_values, new_types,
      values_hash, new_rendered_sql, new_statement, new_time, new_system_values)
    RETURNING * INTO run;
    outcome := 'created';
  END IF;
  RETURN NEXT;
END $$;

-- What a person may see and change in an organization, with an API key if one is given. No row: everything, because nothing
-- is narrowed there or because they are an admin or owner, and no query uses values of its reader. The nil UUID stands for what is in no folder.
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
  uses_own_values boolean;
  has_everything boolean;
  member_role role;
  key_folders uuid[];
  key_databases uuid[];
BEGIN
  SELECT o.root_has_own_rights, o.has_row_rights INTO root_is_narrowed, uses_own_values
  FROM public.organizations o WHERE o.id = chosen_organization;
  has_everything := NOT root_is_narrowed
    AND NOT EXISTS (SELECT FROM public.folders f WHERE f.organization_id = chosen_organization AND f.has_own_rights)
    AND NOT EXISTS (
      SELECT FROM public.analytical_database_configs d
      WHERE d.organization_id = chosen_organization AND d.has_own_rights);
  IF has_everything AND NOT uses_own_values AND chosen_key IS NULL THEN
    RETURN;
  END IF;
  SELECT m.role INTO member_role FROM public.members m
  WHERE m.organization_id = chosen_organization AND m.user_id = chosen_user;
  IF member_role IS NULL THEN
    RETURN QUERY SELECT '{}'::uuid[], '{}'::uuid[], '{}'::uuid[], '{}'::uuid[];
    RETURN;
  END IF;
  has_everything := has_everything OR member_role IN ('owner', 'admin');
  IF has_everything AND NOT uses_own_values AND chosen_key IS NULL THEN
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

-- Whether somebody who sees these folders and databases sees an automation: its folder, its references and their queries.
CREATE OR REPLACE FUNCTION sees_automation(
  chosen_automation uuid, chosen_user uuid, seen_folders uuid[], seen_databases uuid[]
) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM public.automations a
    WHERE a.id = chosen_automation
      AND (coalesce(a.folder_id, '00000000-0000-0000-0000-000000000000') = ANY (seen_folders)
        OR (a.folder_id IS NULL AND a.created_by = chosen_user))
      AND NOT EXISTS (
        SELECT FROM public.automation_references u JOIN public.query_references r ON r.id = u.reference_id
          LEFT JOIN public.queries q ON q.id = r.query_id
        WHERE u.automation_id = a.id AND NOT (
          (coalesce(r.folder_id, '00000000-0000-0000-0000-000000000000') = ANY (seen_folders)
            OR (r.folder_id IS NULL AND r.created_by = chosen_user))
          AND (q.id IS NULL OR (
            (coalesce(q.folder_id, '00000000-0000-0000-0000-000000000000') = ANY (seen_folders)
              OR (q.folder_id IS NULL AND q.created_by = chosen_user))
            AND q.analytical_database_config_id = ANY (seen_databases))))))
$$;

-- Whether a person sees an automation. As the view rights.automations, for what is done without a caller, such as
-- notifications.
CREATE OR REPLACE FUNCTION querybell_sees_automation(chosen_organization uuid, chosen_user uuid, chosen_automation uuid)
RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
  mine record;
BEGIN
  SELECT * INTO mine FROM public.querybell_rights(chosen_organization, chosen_user);
  IF NOT FOUND THEN
    RETURN true;
  END IF;
  RETURN EXISTS (
      SELECT FROM public.automations a WHERE a.id = chosen_automation AND a.organization_id = chosen_organization)
    AND public.sees_automation(chosen_automation, chosen_user, mine.folders, mine.databases);
END $$;

SELECT create_rights_views();
