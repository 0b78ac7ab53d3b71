-- The schema rights has a view of each table whose rows not everybody may see, with the same name and columns. A connection
-- of a caller with narrowed rights finds the views instead of the tables, and shows what these settings name:
-- querybell.caller, querybell.folders and querybell.databases. Without them, the views are empty. Runs with values of a
-- person are shown to those whose own values, in querybell.values, are the same.
--
-- Executed after every migration, because a view keeps the columns that its table had when it was created. The conditions
-- are written as CASE so that they stay filters: as joins they would keep a list from reading along its index. OFFSET 0
-- changes nothing in a result, but keeps Postgres from reading a whole table to answer EXISTS for a few rows. A setting is
-- read in a SELECT of its own, or the planner would read it too, to estimate rows: that costs as much as executing.
-- querybell.folder_bytes has the folders once more, as base64 of 16 bytes for each: hundreds of them are read from it in half
-- the time.
CREATE OR REPLACE FUNCTION create_rights_views() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  seen_folders CONSTANT text := $sql$
    SELECT substr(s.bytes, generate_series(1, length(s.bytes), 16), 16)
    FROM (SELECT decode(current_setting('querybell.folder_bytes', true), 'base64') OFFSET 0) s (bytes)$sql$;
  caller CONSTANT text := $sql$nullif(current_setting('querybell.caller', true), '')::uuid$sql$;
  -- In a folder that the caller sees, or in none and made by the caller.
  in_folder CONSTANT text := $sql$CASE
    WHEN uuid_send(coalesce(%1$s.folder_id, '00000000-0000-0000-0000-000000000000')) IN ($sql$ || seen_folders || $sql$)
      THEN true
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
  -- A result from before a change of the database's policies or roles is shown to nobody.
  of_current_run CONSTANT text := 'EXISTS (
      SELECT FROM rights.query_runs r JOIN public.queries q ON q.id = r.query_id
        JOIN public.analytical_database_configs d ON d.id = q.analytical_database_config_id
      WHERE r.id = t.run_id AND r.row_rights_version = d.row_rights_version OFFSET 0)';
  of_run CONSTANT text := 'EXISTS (SELECT FROM rights.automation_runs r WHERE r.id = t.run_id OFFSET 0)';
BEGIN
  DROP SCHEMA IF EXISTS rights CASCADE;
  CREATE SCHEMA rights;
  PERFORM create_rights_view('folders', format(
    'CASE WHEN uuid_send(t.id) IN (%s) THEN true ELSE false END', seen_folders));
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
  -- A dashboard is seen with tiles that are not: each of them says so.
  PERFORM create_rights_view('dashboards', format(in_folder, 't'));
  -- What it says shows all charts of its dashboard.
  PERFORM create_rights_view('automations', format(
    'CASE WHEN NOT (%s) THEN false WHEN EXISTS (
      SELECT FROM public.automation_references u
      WHERE u.automation_id = t.id AND NOT EXISTS (
        SELECT FROM rights.query_references r WHERE r.id = u.reference_id OFFSET 0) OFFSET 0) THEN false
      WHEN t.dashboard_id IS NULL THEN true
      ELSE EXISTS (SELECT FROM rights.dashboards d WHERE d.id = t.dashboard_id OFFSET 0) AND NOT EXISTS (
        SELECT FROM public.dashboard_references u
        WHERE u.dashboard_id = t.dashboard_id AND NOT EXISTS (
          SELECT FROM rights.query_references r WHERE r.id = u.reference_id OFFSET 0) OFFSET 0) END',
    format(in_folder, 't')));
  PERFORM create_rights_view('dashboard_versions',
    'EXISTS (SELECT FROM rights.dashboards d WHERE d.id = t.dashboard_id OFFSET 0)');
  PERFORM create_rights_view('dashboard_refreshes',
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
  PERFORM create_rights_view('query_results', of_current_run);
  PERFORM create_rights_view('past_results', of_current_run);
END $$;
