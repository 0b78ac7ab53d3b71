-- The bytes of a result that waits for a chain are in query_results, as long as it is there.
ALTER TABLE "past_results" ALTER COLUMN "bytes" DROP NOT NULL;
ALTER TABLE "past_results" DROP CONSTRAINT "past_results_in_chain";
ALTER TABLE "past_results" ADD CONSTRAINT "past_results_in_chain" CHECK (
  ("chain_id" IS NULL) = ("position" IS NULL) AND "position" >= 0 AND ("chain_id" IS NULL OR "bytes" IS NOT NULL));

-- Completes a run and stores its result, instead of the one for equal values. Dashboards keep the results of their last
-- refresh with the same values of their filters until the next. An uncut result is kept as history too, besides those of
-- trials and of a model's SQL; its bytes are moved there when it is replaced (keep_deleted_result). False when the lease is
-- lost: only the newest lease may write. The caller notifies the watchers.
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
  IF run.refresh_id IS NOT NULL THEN
    SELECT f.dashboard_id, f.filter_values_hash INTO refreshed_dashboard, filters_hash
    FROM dashboard_refreshes f WHERE f.id = run.refresh_id;
    -- Two refreshes of a dashboard may end at once: the second replaces what the first has stored.
    PERFORM FROM dashboards b WHERE b.id = refreshed_dashboard FOR NO KEY UPDATE;
  END IF;
  filters_hash := coalesce(filters_hash, '');
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
      row_count, etag)
    SELECT run.id, run.organization_id, run.query_id, run.parameter_values_hash, end_time, new_json_bytes, result_rows,
      new_etag
    FROM organizations o JOIN queries q ON q.id = run.query_id
    WHERE o.id = run.organization_id AND o.history_days > 0 AND q.automation_run_id IS NULL AND q.draft_id IS NULL;
  END IF;
  RETURN true;
END $$;

-- Moves the bytes of a result that is deleted to the history, if they have not been compressed there yet. So they are
-- written once when a run ends, and a second time only if the next result comes sooner than a minute.
CREATE OR REPLACE FUNCTION keep_deleted_result() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE public.past_results SET bytes = OLD.gzipped_json
  WHERE run_id = OLD.run_id AND chain_id IS NULL AND bytes IS NULL;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER keep_deleted_result AFTER DELETE ON query_results
  FOR EACH ROW EXECUTE FUNCTION keep_deleted_result();
