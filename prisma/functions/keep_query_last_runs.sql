-- Keeps when each query last ran. Once for each statement, so that inserting many rows stays fast. Claims and ends of runs
-- do not insert runs, so they never wait for these rows.
CREATE OR REPLACE FUNCTION keep_query_last_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'queries' THEN
    -- No list shows a query that is deleted from the beginning: the SQL of a model.
    INSERT INTO query_last_runs (query_id, organization_id, last_run_at)
    SELECT id, organization_id, '-infinity' FROM inserted WHERE deleted_at IS NULL;
  ELSE
    UPDATE query_last_runs l SET last_run_at = latest.created_at
    FROM (SELECT query_id, max(created_at) AS created_at FROM inserted GROUP BY query_id) latest
    WHERE l.query_id = latest.query_id AND l.last_run_at < latest.created_at;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER queries_keep_last_runs AFTER INSERT ON queries
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT
  EXECUTE FUNCTION keep_query_last_runs();

CREATE OR REPLACE TRIGGER query_runs_keep_last_runs AFTER INSERT ON query_runs
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT
  EXECUTE FUNCTION keep_query_last_runs();
