-- CreateTable
CREATE TABLE "chart_names" (
    "reference_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "name" TEXT NOT NULL,

    CONSTRAINT "chart_names_pkey" PRIMARY KEY ("reference_id")
);

-- CreateTable
CREATE TABLE "query_uses" (
    "query_id" UUID NOT NULL,
    "reference_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,

    CONSTRAINT "query_uses_pkey" PRIMARY KEY ("query_id","reference_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "chart_names_organization_id_name_key" ON "chart_names"("organization_id", "name");

-- CreateIndex
CREATE INDEX "query_uses_reference_id_idx" ON "query_uses"("reference_id");

-- CreateIndex
CREATE INDEX "query_uses_organization_id_idx" ON "query_uses"("organization_id");

-- AddForeignKey
ALTER TABLE "chart_names" ADD CONSTRAINT "chart_names_reference_id_fkey" FOREIGN KEY ("reference_id") REFERENCES "query_references"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "chart_names" ADD CONSTRAINT "chart_names_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_uses" ADD CONSTRAINT "query_uses_query_id_fkey" FOREIGN KEY ("query_id") REFERENCES "queries"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_uses" ADD CONSTRAINT "query_uses_reference_id_fkey" FOREIGN KEY ("reference_id") REFERENCES "query_references"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_uses" ADD CONSTRAINT "query_uses_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The name of a chart's table in queries, from its title: lower case, without marks on letters, words joined by _.
CREATE OR REPLACE FUNCTION chart_name_of(title text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN word = '' THEN 'chart' WHEN word ~ '^[0-9]' THEN 'chart_' || word ELSE word END
  FROM (SELECT trim('_' FROM left(trim('_' FROM regexp_replace(
    translate(lower(title), 'áàâäãåéèêëíìîïóòôöõúùûüçñß', 'aaaaaaeeeeiiiiooooouuuucns'),
    '[^a-z0-9]+', '_', 'g')), 50)) AS word) AS words
$$;

-- Gives a chart the name of its table in queries, once it has a title of its own. The name never changes, because queries
-- use it. If another chart has it, a part of the id is added.
CREATE OR REPLACE FUNCTION name_chart() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  base text := chart_name_of(NEW.title);
  digits text := replace(NEW.id::text, '-', '');
  candidate text;
BEGIN
  FOREACH candidate IN ARRAY ARRAY[base, base || '_' || right(digits, 6), base || '_' || digits] LOOP
    INSERT INTO chart_names (organization_id, reference_id, name) VALUES (NEW.organization_id, NEW.id, candidate)
    ON CONFLICT DO NOTHING;
    EXIT WHEN FOUND OR EXISTS (SELECT FROM chart_names WHERE reference_id = NEW.id);
  END LOOP;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER name_chart AFTER INSERT OR UPDATE OF title ON query_references
  FOR EACH ROW
  WHEN (NEW.title <> 'Untitled query')
  EXECUTE FUNCTION name_chart();

-- Charts that have a title get their name. The oldest of those with the same title has it without an addition.
INSERT INTO chart_names (organization_id, reference_id, name)
SELECT organization_id, id, CASE WHEN place = 1 THEN base ELSE base || '_' || replace(id::text, '-', '') END
FROM (
  SELECT organization_id, id, base, row_number() OVER (PARTITION BY organization_id, base ORDER BY created_at, id) AS place
  FROM query_references, chart_name_of(title) AS base
  WHERE title <> 'Untitled query'
) AS named
ON CONFLICT DO NOTHING;

-- Whether a person sees all charts whose results a query reads, directly or through other charts.
CREATE OR REPLACE FUNCTION sees_used_charts(
  chosen_query uuid, chosen_user uuid, seen_folders uuid[], seen_databases uuid[]
) RETURNS boolean LANGUAGE sql STABLE AS $$
  WITH RECURSIVE used AS (
    SELECT r.id, r.folder_id, r.created_by, r.query_id
    FROM public.query_uses u JOIN public.query_references r ON r.id = u.reference_id
    WHERE u.query_id = chosen_query
    UNION
    SELECT r.id, r.folder_id, r.created_by, r.query_id
    FROM used JOIN public.query_uses u ON u.query_id = used.query_id
      JOIN public.query_references r ON r.id = u.reference_id
  )
  SELECT NOT EXISTS (
    SELECT FROM used LEFT JOIN public.queries q ON q.id = used.query_id
    WHERE NOT coalesce(
      (coalesce(used.folder_id, '00000000-0000-0000-0000-000000000000') = ANY (seen_folders)
        OR (used.folder_id IS NULL AND used.created_by = chosen_user))
      AND (q.id IS NULL OR (
        (coalesce(q.folder_id, '00000000-0000-0000-0000-000000000000') = ANY (seen_folders)
          OR (q.folder_id IS NULL AND q.created_by = chosen_user))
        AND q.analytical_database_config_id = ANY (seen_databases))), false))
$$;

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
            AND q.analytical_database_config_id = ANY (seen_databases)
            AND public.sees_used_charts(q.id, chosen_user, seen_folders, seen_databases))))))
$$;

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
    WHEN t.id IN (SELECT unnest(nullif(current_setting('querybell.folders', true), '')::uuid[])) THEN true
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
  PERFORM create_rights_view('query_results',
    'EXISTS (SELECT FROM rights.query_runs r WHERE r.id = t.run_id OFFSET 0)');
END $$;

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
        AND q.analytical_database_config_id = ANY (mine.databases)
        AND sees_used_charts(q.id, chosen_user, mine.folders, mine.databases))));
END $$;

SELECT create_rights_views();
