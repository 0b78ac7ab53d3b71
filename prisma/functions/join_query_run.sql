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
