-- Notifies whoever watches a run of each change.
-- A transaction that sets querybell.notices to 'after_commit' notifies them itself after the commit, because commits that
-- NOTIFY wait for each other.
CREATE OR REPLACE FUNCTION query_runs_notify_watchers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('querybell_run_changed', NEW.id::text);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER query_runs_notify_watchers AFTER UPDATE ON query_runs
  FOR EACH ROW WHEN (
    (OLD.status <> NEW.status OR OLD.progress_rows <> NEW.progress_rows
      OR OLD.cancel_requested_at IS DISTINCT FROM NEW.cancel_requested_at)
    AND current_setting('querybell.notices', true) IS DISTINCT FROM 'after_commit')
  EXECUTE FUNCTION query_runs_notify_watchers();
