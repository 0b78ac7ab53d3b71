-- Starting and completing a run of a query are one call each.
--
-- In plpgsql, because every statement of a function sees what was committed before it began: the unfinished run is
-- looked for after the query is locked. Processes of an older version go on with statements of their own, which take
-- the same locks in the same order.

-- A transaction that sets querybell.notices to 'after_commit' tells the watchers and workers itself, once it has
-- committed: commits that NOTIFY wait for each other.
CREATE OR REPLACE TRIGGER "query_runs_tell_watchers" AFTER UPDATE ON "query_runs"
  FOR EACH ROW WHEN ((OLD."status" <> NEW."status" OR OLD."progress_rows" <> NEW."progress_rows" OR OLD."cancel_requested_at" IS DISTINCT FROM NEW."cancel_requested_at")
    AND current_setting('querybell.notices', true) IS DISTINCT FROM 'after_commit')
  EXECUTE FUNCTION "query_runs_tell_watchers"();
CREATE OR REPLACE TRIGGER "query_runs_tell_workers" AFTER INSERT ON "query_runs"
  FOR EACH ROW WHEN (current_setting('querybell.notices', true) IS DISTINCT FROM 'after_commit')
  EXECUTE FUNCTION "tell_workers"('querybell_run_waiting');

-- Joins the unfinished run of a query with these values, or inserts one. outcome: created; joined; cancelling, when the
-- unfinished run is to end before another can start; changed, when this is not the query's version any more.
CREATE FUNCTION "join_query_run"(
  chosen_query uuid, expected_version int, new_run uuid, triggered_by text, new_values jsonb, new_types jsonb,
  values_hash bytea, new_rendered_sql text, new_statement jsonb, new_time timestamptz, is_alone boolean
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
      parameter_values_hash, rendered_sql, statement, created_at)
    VALUES (new_run, in_organization, chosen_query, expected_version, triggered_by, new_values, new_types,
      values_hash, new_rendered_sql, new_statement, new_time)
    RETURNING * INTO run;
    outcome := 'created';
  END IF;
  RETURN NEXT;
END $$;

-- Completes a run and stores its result, instead of the one for equal values. False when the lease is lost: only the
-- newest lease may write. The caller tells the watchers.
CREATE FUNCTION "complete_query_run"(
  chosen_run uuid, chosen_lease int, chosen_query uuid, end_time timestamptz, result_rows int, new_rows_read bigint,
  new_cut_by text, new_gzipped_json bytea, new_json_bytes int, new_etag text
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  run query_runs;
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
  DELETE FROM query_results d WHERE d.query_id = run.query_id AND d.parameter_values_hash = run.parameter_values_hash;
  INSERT INTO query_results (run_id, organization_id, query_id, parameter_values_hash, gzipped_json, json_bytes,
    row_count, cut_by, etag, completed_at, expires_at)
  SELECT run.id, run.organization_id, run.query_id, run.parameter_values_hash, new_gzipped_json, new_json_bytes,
    result_rows, new_cut_by, new_etag, end_time, end_time + make_interval(secs => o.result_lifetime_seconds)
  FROM organizations o WHERE o.id = run.organization_id;
  RETURN true;
END $$;
