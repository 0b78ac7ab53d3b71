DROP INDEX "query_results_query_id_parameter_values_hash_key";

ALTER TABLE "query_results" ADD COLUMN     "dashboard_id" UUID;

ALTER TABLE "query_runs" ADD COLUMN     "leader_id" UUID,
ADD COLUMN     "refresh_id" UUID,
ADD COLUMN     "snapshot_at" TIMESTAMPTZ(3);

CREATE TABLE "dashboard_refreshes" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "dashboard_id" UUID NOT NULL,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "runs_total" INTEGER NOT NULL,
    "runs_done" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "dashboard_refreshes_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "dashboard_refresh_charts" (
    "refresh_id" UUID NOT NULL,
    "reference_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,

    CONSTRAINT "dashboard_refresh_charts_pkey" PRIMARY KEY ("refresh_id","reference_id")
);

CREATE INDEX "dashboard_refreshes_dashboard_id_created_at_id_idx" ON "dashboard_refreshes"("dashboard_id", "created_at" DESC, "id" DESC);

CREATE INDEX "dashboard_refreshes_organization_id_idx" ON "dashboard_refreshes"("organization_id");

CREATE INDEX "dashboard_refresh_charts_run_id_idx" ON "dashboard_refresh_charts"("run_id");

CREATE INDEX "dashboard_refresh_charts_reference_id_idx" ON "dashboard_refresh_charts"("reference_id");

CREATE INDEX "dashboard_refresh_charts_organization_id_idx" ON "dashboard_refresh_charts"("organization_id");

ALTER TABLE "dashboard_refreshes" ADD CONSTRAINT "dashboard_refreshes_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "dashboard_refreshes" ADD CONSTRAINT "dashboard_refreshes_dashboard_id_fkey" FOREIGN KEY ("dashboard_id") REFERENCES "dashboards"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "dashboard_refreshes" ADD CONSTRAINT "dashboard_refreshes_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "dashboard_refresh_charts" ADD CONSTRAINT "dashboard_refresh_charts_refresh_id_fkey" FOREIGN KEY ("refresh_id") REFERENCES "dashboard_refreshes"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "dashboard_refresh_charts" ADD CONSTRAINT "dashboard_refresh_charts_reference_id_fkey" FOREIGN KEY ("reference_id") REFERENCES "query_references"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "dashboard_refresh_charts" ADD CONSTRAINT "dashboard_refresh_charts_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "dashboard_refresh_charts" ADD CONSTRAINT "dashboard_refresh_charts_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "query_runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "query_results" ADD CONSTRAINT "query_results_dashboard_id_fkey" FOREIGN KEY ("dashboard_id") REFERENCES "dashboards"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE UNIQUE INDEX "query_results_query_id_parameter_values_hash_dashboard_id_key" ON "query_results"("query_id", "parameter_values_hash", "dashboard_id") NULLS NOT DISTINCT;
CREATE INDEX "query_results_dashboard_id_idx" ON "query_results" ("dashboard_id") WHERE "dashboard_id" IS NOT NULL;
CREATE INDEX "query_runs_refresh_id_idx" ON "query_runs" ("refresh_id") WHERE "refresh_id" IS NOT NULL;
CREATE INDEX "query_runs_leader_id_idx" ON "query_runs" ("leader_id") WHERE "leader_id" IS NOT NULL;
ALTER TABLE "query_runs" ADD CONSTRAINT "query_runs_leader" CHECK ("leader_id" IS NULL OR ("refresh_id" IS NOT NULL AND "leader_id" <> "id"));

-- Runs of a refresh are not joined, and of a group only the leader is claimed.
DROP INDEX "query_runs_unfinished_key";
CREATE UNIQUE INDEX "query_runs_unfinished_key" ON "query_runs" ("query_id", "parameter_values_hash") WHERE "status" IN ('pending', 'running') AND "refresh_id" IS NULL;
-- All unfinished runs of a query.
CREATE INDEX "query_runs_unfinished_idx" ON "query_runs" ("query_id") WHERE "status" IN ('pending', 'running');
DROP INDEX "query_runs_waiting_idx";
CREATE INDEX "query_runs_waiting_idx" ON "query_runs" ("organization_id", "created_at", "id") WHERE "status" = 'pending' AND "leader_id" IS NULL;
DROP INDEX "query_runs_running_idx";
CREATE INDEX "query_runs_running_idx" ON "query_runs" ("organization_id") WHERE "status" = 'running' AND "leader_id" IS NULL;

-- Claims a run of a query for a worker: one whose lease has expired, or else the oldest waiting run of the organization
-- that has the fewest running; between equals, of the one whose oldest run has waited longest. It skips organizations
-- that the claimer excludes or that have reached their ceiling. Runs with a leader are executed with it, and count as
-- one. The caller notifies the watchers.
--
-- Its cost depends on neither the number of waiting runs nor that of waiting organizations: it skips from organization
-- to organization in the index, starting after the one that the claimer names, and compares the first 64 that may have
-- a run.
--
-- In plpgsql, because every statement of a function sees what was committed before it began. A single statement would
-- count with a snapshot from before it had the lock.
--
-- claim_automation_run does the same with runs of automations.
CREATE OR REPLACE FUNCTION claim_query_run(
  claimer text, claimed_at timestamptz, lease_seconds int,
  excluded_organizations uuid[], organization_ceiling int, total_ceiling int, after_organization uuid
) RETURNS SETOF query_runs LANGUAGE plpgsql AS $$
DECLARE
  candidate uuid;
  chosen uuid;
  total bigint;
  full_organizations uuid[];
BEGIN
  -- One claim at a time: two that count at once could both take the last slot below a ceiling.
  PERFORM pg_advisory_xact_lock(hashtextextended('claim_query_run', 0));

  SELECT coalesce(sum(runs), 0),
    excluded_organizations || coalesce(array_agg(organization_id) FILTER (WHERE runs >= organization_ceiling), '{}')
  INTO total, full_organizations
  FROM (
    SELECT organization_id, count(*) AS runs FROM query_runs
    WHERE status = 'running' AND leader_id IS NULL AND lease_until >= now()
    GROUP BY organization_id
  ) live;
  IF total >= total_ceiling THEN
    RETURN;
  END IF;

  SELECT id INTO chosen FROM query_runs
  WHERE status = 'running' AND leader_id IS NULL AND lease_until < now() AND organization_id <> ALL (full_organizations)
  ORDER BY lease_until LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;

  IF chosen IS NULL THEN
    FOR candidate IN
      WITH RECURSIVE visited AS (
        SELECT next.organization_id, next.organization_id AS first,
          (next.organization_id <> ALL (full_organizations))::int AS compared
        FROM (
          SELECT coalesce(
            (SELECT organization_id FROM query_runs
             WHERE status = 'pending' AND leader_id IS NULL AND organization_id > after_organization
             ORDER BY organization_id LIMIT 1),
            (SELECT organization_id FROM query_runs
             WHERE status = 'pending' AND leader_id IS NULL
             ORDER BY organization_id LIMIT 1)
          ) AS organization_id
        ) next
        WHERE next.organization_id IS NOT NULL
        UNION ALL
        SELECT next.organization_id, v.first,
          v.compared + (next.organization_id <> ALL (full_organizations))::int
        FROM visited v CROSS JOIN LATERAL (
          SELECT coalesce(
            (SELECT organization_id FROM query_runs
             WHERE status = 'pending' AND leader_id IS NULL AND organization_id > v.organization_id
             ORDER BY organization_id LIMIT 1),
            (SELECT organization_id FROM query_runs
             WHERE status = 'pending' AND leader_id IS NULL
             ORDER BY organization_id LIMIT 1)
          ) AS organization_id
        ) next
        WHERE next.organization_id <> v.first AND v.compared < 64
      )
      SELECT v.organization_id FROM visited v
      CROSS JOIN LATERAL (
        SELECT count(*) AS runs FROM query_runs r
        WHERE r.organization_id = v.organization_id AND status = 'running' AND leader_id IS NULL AND lease_until >= now()
      ) live
      CROSS JOIN LATERAL (
        SELECT r.created_at AS since FROM query_runs r
        WHERE r.organization_id = v.organization_id AND status = 'pending' AND leader_id IS NULL
        ORDER BY r.created_at, r.id LIMIT 1
      ) oldest
      WHERE v.organization_id <> ALL (full_organizations)
      ORDER BY live.runs, oldest.since, v.organization_id
    LOOP
      -- Not FOR UPDATE: a transcript that refers to the run holds a key-share lock and is no reason to skip it.
      SELECT id INTO chosen FROM query_runs
      WHERE organization_id = candidate AND status = 'pending' AND leader_id IS NULL
      ORDER BY created_at, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
      EXIT WHEN chosen IS NOT NULL;
    END LOOP;
  END IF;

  PERFORM set_config('querybell.notices', 'after_commit', true);
  RETURN QUERY UPDATE query_runs SET status = 'running', started_at = coalesce(started_at, claimed_at),
    lease_until = now() + make_interval(secs => lease_seconds), lease_number = lease_number + 1, lease_worker = claimer
  WHERE id = chosen RETURNING *;
END $$;

-- Completes a run and stores its result, instead of the one for equal values. Dashboards keep the results of their last
-- refresh until the next. False when the lease is lost: only the
-- newest lease may write. The caller notifies the watchers.
CREATE OR REPLACE FUNCTION complete_query_run(
  chosen_run uuid, chosen_lease int, chosen_query uuid, end_time timestamptz, result_rows int, new_rows_read bigint,
  new_cut_by text, new_gzipped_json bytea, new_json_bytes int, new_etag text
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  run query_runs;
  refreshed_dashboard uuid;
BEGIN
  PERFORM set_config('querybell.notices', 'after_commit', true);
  -- Every transaction locks the query's row before the run's, which prevents deadlocks.
  PERFORM FROM queries q WHERE q.id = chosen_query FOR KEY SHARE;
  UPDATE query_runs r SET status = 'completed', completed_at = end_time, progress_rows = result_rows,
    rows_read = new_rows_read, rows_written = result_rows, cut_by = new_cut_by, statement = NULL
  WHERE r.id = chosen_run AND r.lease_number = chosen_lease AND r.status = 'running'
  RETURNING * INTO run;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  SELECT f.dashboard_id INTO refreshed_dashboard FROM dashboard_refreshes f WHERE f.id = run.refresh_id;
  -- Two refreshes of a dashboard may end at once: the second replaces what the first has stored.
  PERFORM FROM dashboards b WHERE b.id = refreshed_dashboard FOR NO KEY UPDATE;
  DELETE FROM query_results d WHERE d.query_id = run.query_id AND d.parameter_values_hash = run.parameter_values_hash
    AND (d.dashboard_id IS NULL OR d.dashboard_id = refreshed_dashboard);
  INSERT INTO query_results (run_id, organization_id, query_id, parameter_values_hash, dashboard_id, gzipped_json,
    json_bytes, row_count, cut_by, etag, completed_at, expires_at)
  SELECT run.id, run.organization_id, run.query_id, run.parameter_values_hash, refreshed_dashboard, new_gzipped_json,
    new_json_bytes,
    result_rows, new_cut_by, new_etag, end_time, end_time + make_interval(secs => o.result_lifetime_seconds)
  FROM organizations o WHERE o.id = run.organization_id;
  RETURN true;
END $$;

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
  -- A result from before a change of the database's policies or roles is shown to nobody.
  PERFORM create_rights_view('query_results',
    'EXISTS (
      SELECT FROM rights.query_runs r JOIN public.queries q ON q.id = r.query_id
        JOIN public.analytical_database_configs d ON d.id = q.analytical_database_config_id
      WHERE r.id = t.run_id AND r.row_rights_version = d.row_rights_version OFFSET 0)');
END $$;

-- Joins the unfinished run of a query with these values, unless it is of a refresh of a dashboard, or inserts one. outcome: created; joined; cancelling, when the
-- unfinished run is to end before another can start; changed, when this is not the query's version any more.
--
-- In plpgsql, because every statement of a function sees what was committed before it began: the unfinished run is looked for
-- after the query is locked.
CREATE OR REPLACE FUNCTION join_query_run(
  chosen_query uuid, expected_version int, new_run uuid, triggered_by text, new_values jsonb, new_types jsonb,
  values_hash bytea, new_rendered_sql text, new_statement jsonb, new_time timestamptz, is_alone boolean,
  new_system_values jsonb DEFAULT NULL, new_row_rights_version int DEFAULT 0
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
  WHERE r.query_id = chosen_query AND r.parameter_values_hash = values_hash AND r.refresh_id IS NULL
    AND r.status IN ('pending', 'running');
  IF FOUND THEN
    outcome := CASE WHEN run.cancel_requested_at IS NULL THEN 'joined' ELSE 'cancelling' END;
  ELSE
    INSERT INTO query_runs (id, organization_id, query_id, query_version, trigger_id, parameter_values, parameter_types,
      parameter_values_hash, rendered_sql, statement, created_at, system_values, row_rights_version)
    VALUES (new_run, in_organization, chosen_query, expected_version, triggered_by, new_values, new_types,
      values_hash, new_rendered_sql, new_statement, new_time, new_system_values, new_row_rights_version)
    RETURNING * INTO run;
    outcome := 'created';
  END IF;
  RETURN NEXT;
END $$;

-- A run of a refresh that ends before it was claimed, because it is cancelled, leads its group no more: the next one that
-- waits does. Otherwise nobody would claim the others.
CREATE OR REPLACE FUNCTION pass_leadership() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  next_leader uuid;
BEGIN
  SELECT r.id INTO next_leader FROM public.query_runs r
  WHERE r.leader_id = NEW.id AND r.status = 'pending' ORDER BY r.id LIMIT 1 FOR NO KEY UPDATE;
  IF next_leader IS NOT NULL THEN
    UPDATE public.query_runs r SET leader_id = nullif(next_leader, r.id)
    WHERE r.leader_id = NEW.id AND r.status = 'pending';
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER query_runs_pass_leadership AFTER UPDATE OF status ON query_runs
  FOR EACH ROW WHEN (OLD.status = 'pending' AND NEW.status = 'failed' AND NEW.refresh_id IS NOT NULL AND NEW.leader_id IS NULL)
  EXECUTE FUNCTION pass_leadership();
