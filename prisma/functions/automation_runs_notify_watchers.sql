-- Notifies whoever watches a run of each change, and whoever executes it of its end.
-- A transaction that sets querybell.notices to 'after_commit' notifies them itself after the commit, because commits that
-- NOTIFY wait for each other.
CREATE OR REPLACE FUNCTION automation_runs_notify_watchers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('querybell_automation_run_changed', NEW.id::text);
  IF NEW.status IN ('completed', 'failed') THEN
    PERFORM pg_notify('querybell_automation_run_ended', NEW.id::text);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER automation_runs_notify_watchers AFTER UPDATE ON automation_runs
  FOR EACH ROW WHEN (
    (OLD.status <> NEW.status OR OLD.revision <> NEW.revision OR OLD.ready_at IS DISTINCT FROM NEW.ready_at)
    AND current_setting('querybell.notices', true) IS DISTINCT FROM 'after_commit')
  EXECUTE FUNCTION automation_runs_notify_watchers();
