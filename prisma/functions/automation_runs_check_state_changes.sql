-- The states of a run: pending to running or failed, running to completed or failed, nothing else.
CREATE OR REPLACE FUNCTION automation_runs_check_state_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NEW.status <> 'pending' THEN
      RAISE EXCEPTION 'a run begins as pending, not as %', NEW.status USING ERRCODE = 'QB002';
    END IF;
  ELSIF OLD.status IN ('completed', 'failed') THEN
    RAISE EXCEPTION 'run % has ended as % and cannot change', OLD.id, OLD.status USING ERRCODE = 'QB002';
  ELSIF NEW.status <> OLD.status
    AND (OLD.status, NEW.status) NOT IN (
      ('pending', 'running'), ('pending', 'failed'), ('running', 'completed'), ('running', 'failed')) THEN
    RAISE EXCEPTION 'run % cannot go from % to %', OLD.id, OLD.status, NEW.status USING ERRCODE = 'QB002';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER automation_runs_check_state_changes BEFORE INSERT OR UPDATE ON automation_runs
  FOR EACH ROW
  EXECUTE FUNCTION automation_runs_check_state_changes();
