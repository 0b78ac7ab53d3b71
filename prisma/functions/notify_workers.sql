-- Notifies workers of a run that waits. The argument of the trigger is the channel.
-- A transaction that sets querybell.notices to 'after_commit' notifies them itself after the commit, because commits that
-- NOTIFY wait for each other.
CREATE OR REPLACE FUNCTION notify_workers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify(TG_ARGV[0], NEW.id::text);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER query_runs_notify_workers AFTER INSERT ON query_runs
  FOR EACH ROW WHEN (current_setting('querybell.notices', true) IS DISTINCT FROM 'after_commit')
  EXECUTE FUNCTION notify_workers('querybell_run_waiting');

CREATE OR REPLACE TRIGGER automation_runs_notify_workers AFTER INSERT ON automation_runs
  FOR EACH ROW WHEN (NEW.ready_at IS NOT NULL AND NEW.agent <> 'external')
  EXECUTE FUNCTION notify_workers('querybell_automation_run_waiting');

CREATE OR REPLACE TRIGGER automation_runs_notify_workers_when_ready AFTER UPDATE OF ready_at ON automation_runs
  FOR EACH ROW WHEN (OLD.ready_at IS NULL AND NEW.ready_at IS NOT NULL AND NEW.agent <> 'external')
  EXECUTE FUNCTION notify_workers('querybell_automation_run_waiting');
