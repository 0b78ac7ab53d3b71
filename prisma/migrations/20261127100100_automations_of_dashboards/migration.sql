ALTER TABLE "automations" ADD COLUMN     "dashboard_id" UUID;

CREATE INDEX "automations_dashboard_id_idx" ON "automations"("dashboard_id");

ALTER TABLE "automations" ADD CONSTRAINT "automations_dashboard_id_fkey" FOREIGN KEY ("dashboard_id") REFERENCES "dashboards"("id") ON DELETE SET NULL ON UPDATE CASCADE;

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
  -- A result from before a change of the database's policies or roles is shown to nobody.
  of_current_run CONSTANT text := 'EXISTS (
      SELECT FROM rights.query_runs r JOIN public.queries q ON q.id = r.query_id
        JOIN public.analytical_database_configs d ON d.id = q.analytical_database_config_id
      WHERE r.id = t.run_id AND r.row_rights_version = d.row_rights_version OFFSET 0)';
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

-- Inserts a run with the automation's content as its brief, and the instruction as the first step of its transcript.
-- outcome: created; not_found; paused, unless the run may start while the automation is paused; unfinished, when the
-- automation refuses a run beside another; queue_full.
CREATE OR REPLACE FUNCTION insert_automation_run(
  chosen_automation uuid, chosen_organization uuid, new_run uuid, new_short_id text, new_step uuid,
  triggered_by text, scheduled_time timestamptz, triggered_at timestamptz, max_queued int, while_paused boolean DEFAULT false
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
  IF NOT automation.enabled AND NOT while_paused THEN
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

  INSERT INTO automation_runs (
    id, organization_id, automation_id, short_id, agent, trigger_id, scheduled_for, brief, created_at, ready_at, revision)
  VALUES (
    new_run, automation.organization_id, automation.id, new_short_id, automation.agent, triggered_by, scheduled_time,
    jsonb_build_object(
      'name', automation.name, 'instruction', automation.instruction, 'timeLimitSeconds', automation.time_limit_seconds,
      'budget', jsonb_build_object('steps', automation.step_budget, 'tokens', automation.token_budget),
      'allowsSql', automation.allows_sql,
      'dashboard', (
        SELECT jsonb_build_object('id', d.id, 'title', d.title) FROM public.dashboards d WHERE d.id = automation.dashboard_id),
      'references', coalesce((
        SELECT jsonb_agg(jsonb_build_object(
          'id', q.id, 'shortId', q.short_id, 'title', q.title, 'parameterValues', a.parameter_values) ORDER BY a.position)
        FROM automation_references a JOIN query_references q ON q.id = a.reference_id
        WHERE a.automation_id = automation.id), '[]'))
      || CASE WHEN automation.condition IS NULL THEN '{}' ELSE jsonb_build_object('condition', automation.condition) END,
    triggered_at, CASE WHEN unfinished = 0 THEN triggered_at END, 1);
  INSERT INTO automation_steps (
    id, organization_id, run_id, name, position, revision, kind, state, text, created_at, ended_at)
  VALUES (
    new_step, automation.organization_id, new_run, 'instruction', 1, 1, 'message', 'completed', automation.instruction,
    triggered_at, triggered_at);
  RETURN QUERY SELECT 'created', automation.name, automation.agent::text, unfinished = 0;
END $$;

-- Whether somebody who sees these folders and databases sees an automation: its folder, its dashboard, its references and
-- those on the dashboard, and their queries.
CREATE OR REPLACE FUNCTION sees_automation(
  chosen_automation uuid, chosen_user uuid, seen_folders uuid[], seen_databases uuid[]
) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM public.automations a
    WHERE a.id = chosen_automation
      AND (coalesce(a.folder_id, '00000000-0000-0000-0000-000000000000') = ANY (seen_folders)
        OR (a.folder_id IS NULL AND a.created_by = chosen_user))
      AND (a.dashboard_id IS NULL OR public.sees_dashboard(a.dashboard_id, chosen_user, seen_folders))
      AND NOT EXISTS (
        SELECT FROM (
            SELECT n.reference_id FROM public.automation_references n WHERE n.automation_id = a.id
            UNION ALL
            SELECT c.reference_id FROM public.dashboard_references c WHERE c.dashboard_id = a.dashboard_id) AS u
          JOIN public.query_references r ON r.id = u.reference_id
          LEFT JOIN public.queries q ON q.id = r.query_id
        WHERE NOT (
          (coalesce(r.folder_id, '00000000-0000-0000-0000-000000000000') = ANY (seen_folders)
            OR (r.folder_id IS NULL AND r.created_by = chosen_user))
          AND (q.id IS NULL OR (
            (coalesce(q.folder_id, '00000000-0000-0000-0000-000000000000') = ANY (seen_folders)
              OR (q.folder_id IS NULL AND q.created_by = chosen_user))
            AND q.analytical_database_config_id = ANY (seen_databases)
            AND public.sees_used_charts(q.id, chosen_user, seen_folders, seen_databases))))))
$$;
