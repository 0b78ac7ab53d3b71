-- The states of a run, and the transactions in which it started and ended.
CREATE OR REPLACE FUNCTION query_runs_check_state_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NEW.status <> 'pending' THEN
      RAISE EXCEPTION 'a run begins as pending, not as %', NEW.status USING ERRCODE = 'QB002';
    END IF;
    RETURN NEW;
  END IF;
  IF OLD.status IN ('completed', 'failed') THEN
    RAISE EXCEPTION 'run % has ended as % and cannot change', OLD.id, OLD.status USING ERRCODE = 'QB002';
  END IF;
  IF NEW.status = OLD.status THEN
    RETURN NEW;
  END IF;
  IF (OLD.status, NEW.status) NOT IN (
    ('pending', 'running'), ('pending', 'failed'), ('running', 'completed'), ('running', 'failed')) THEN
    RAISE EXCEPTION 'run % cannot go from % to %', OLD.id, OLD.status, NEW.status USING ERRCODE = 'QB002';
  END IF;
  IF NEW.status = 'running' THEN
    NEW.started_xid := pg_current_xact_id();
  ELSE
    NEW.ended_xid := pg_current_xact_id();
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER query_runs_check_state_changes BEFORE INSERT OR UPDATE ON query_runs
  FOR EACH ROW
  EXECUTE FUNCTION query_runs_check_state_changes();
