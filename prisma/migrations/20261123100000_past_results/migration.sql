-- AlterTable
ALTER TABLE "organizations" ADD COLUMN     "history_days" INTEGER NOT NULL DEFAULT 90;

-- CreateTable
CREATE TABLE "past_results" (
    "run_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "query_id" UUID NOT NULL,
    "parameter_values_hash" BYTEA NOT NULL,
    "completed_at" TIMESTAMPTZ(3) NOT NULL,
    "json_bytes" INTEGER NOT NULL,
    "row_count" INTEGER NOT NULL,
    "etag" TEXT NOT NULL,
    "chain_id" UUID,
    "position" INTEGER,
    "bytes" BYTEA NOT NULL,
    "figures" JSONB,

    CONSTRAINT "past_results_pkey" PRIMARY KEY ("run_id")
);

-- CreateTable
CREATE TABLE "past_result_chains" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "query_id" UUID NOT NULL,
    "parameter_values_hash" BYTEA NOT NULL,
    "first_at" TIMESTAMPTZ(3) NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "result_count" INTEGER NOT NULL,
    "byte_count" BIGINT NOT NULL,
    "is_thinned" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "past_result_chains_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "past_results_query_id_parameter_values_hash_completed_at_ru_idx" ON "past_results"("query_id", "parameter_values_hash", "completed_at" DESC, "run_id" DESC);

-- CreateIndex
CREATE INDEX "past_results_organization_id_idx" ON "past_results"("organization_id");

-- CreateIndex
CREATE UNIQUE INDEX "past_results_chain_id_position_key" ON "past_results"("chain_id", "position");

-- CreateIndex
CREATE INDEX "past_result_chains_query_id_parameter_values_hash_last_at_idx" ON "past_result_chains"("query_id", "parameter_values_hash", "last_at");

-- CreateIndex
CREATE INDEX "past_result_chains_organization_id_last_at_idx" ON "past_result_chains"("organization_id", "last_at");

-- CreateIndex
CREATE INDEX "past_result_chains_is_thinned_last_at_idx" ON "past_result_chains"("is_thinned", "last_at");

-- CreateIndex
CREATE INDEX "past_result_chains_expires_at_idx" ON "past_result_chains"("expires_at");

-- AddForeignKey
ALTER TABLE "past_results" ADD CONSTRAINT "past_results_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "past_results" ADD CONSTRAINT "past_results_query_id_fkey" FOREIGN KEY ("query_id") REFERENCES "queries"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "past_results" ADD CONSTRAINT "past_results_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "query_runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "past_results" ADD CONSTRAINT "past_results_chain_id_fkey" FOREIGN KEY ("chain_id") REFERENCES "past_result_chains"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "past_result_chains" ADD CONSTRAINT "past_result_chains_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "past_result_chains" ADD CONSTRAINT "past_result_chains_query_id_fkey" FOREIGN KEY ("query_id") REFERENCES "queries"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Up to ten years; 0 keeps none.
ALTER TABLE "organizations" ADD CONSTRAINT "organizations_history" CHECK ("history_days" BETWEEN 0 AND 3650);

-- A result is in a chain, at a position, or in none.
ALTER TABLE "past_results" ADD CONSTRAINT "past_results_in_chain" CHECK (
  ("chain_id" IS NULL) = ("position" IS NULL) AND "position" >= 0);

ALTER TABLE "past_result_chains" ADD CONSTRAINT "past_result_chains_counts" CHECK (
  "result_count" > 0 AND "byte_count" >= 0 AND "first_at" <= "last_at");

-- The bytes are compressed.
ALTER TABLE "past_results" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;

-- Those that are not in a chain yet, oldest first: of all, and of one query and set of values.
CREATE INDEX "past_results_without_chain" ON "past_results"("completed_at") WHERE "chain_id" IS NULL;
CREATE INDEX "past_results_of_series_without_chain" ON "past_results"("query_id", "parameter_values_hash", "completed_at", "run_id") WHERE "chain_id" IS NULL;

-- Completes a run and stores its result, instead of the one for equal values. Dashboards keep the results of their last
-- refresh with the same values of their filters until the next. An uncut result is kept as history too, besides those of
-- trials and of a model's SQL. False when the lease is lost: only the newest lease may write. The caller notifies the
-- watchers.
CREATE OR REPLACE FUNCTION complete_query_run(
  chosen_run uuid, chosen_lease int, chosen_query uuid, end_time timestamptz, result_rows int, new_rows_read bigint,
  new_cut_by text, new_gzipped_json bytea, new_json_bytes int, new_etag text
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  run query_runs;
  refreshed_dashboard uuid;
  filters_hash bytea;
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
  SELECT f.dashboard_id, f.filter_values_hash INTO refreshed_dashboard, filters_hash
  FROM dashboard_refreshes f WHERE f.id = run.refresh_id;
  filters_hash := coalesce(filters_hash, '');
  -- Two refreshes of a dashboard may end at once: the second replaces what the first has stored.
  PERFORM FROM dashboards b WHERE b.id = refreshed_dashboard FOR NO KEY UPDATE;
  DELETE FROM query_results d WHERE d.query_id = run.query_id AND d.parameter_values_hash = run.parameter_values_hash
    AND (d.dashboard_id IS NULL OR (d.dashboard_id = refreshed_dashboard AND d.filter_values_hash = filters_hash));
  INSERT INTO query_results (run_id, organization_id, query_id, parameter_values_hash, dashboard_id, filter_values_hash,
    gzipped_json, json_bytes, row_count, cut_by, etag, completed_at, expires_at)
  SELECT run.id, run.organization_id, run.query_id, run.parameter_values_hash, refreshed_dashboard, filters_hash,
    new_gzipped_json, new_json_bytes, result_rows, new_cut_by, new_etag, end_time,
    end_time + make_interval(secs => o.result_lifetime_seconds)
  FROM organizations o WHERE o.id = run.organization_id;
  -- Larger ones are not kept: they could not be opened again.
  IF new_cut_by IS NULL AND run.trial_by IS NULL AND new_json_bytes <= 67108864 THEN
    INSERT INTO past_results (run_id, organization_id, query_id, parameter_values_hash, completed_at, json_bytes,
      row_count, etag, bytes)
    SELECT run.id, run.organization_id, run.query_id, run.parameter_values_hash, end_time, new_json_bytes, result_rows,
      new_etag, new_gzipped_json
    FROM organizations o JOIN queries q ON q.id = run.query_id
    WHERE o.id = run.organization_id AND o.history_days > 0 AND q.automation_run_id IS NULL AND q.draft_id IS NULL;
  END IF;
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
  PERFORM create_rights_view('query_results', of_current_run);
  PERFORM create_rights_view('past_results', of_current_run);
END $$;
