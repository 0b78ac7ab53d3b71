-- A step that has ended stays as it is.
CREATE OR REPLACE FUNCTION automation_steps_check_state_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'step % of run % has ended and cannot change', OLD.name, OLD.run_id USING ERRCODE = 'QB003';
END $$;

CREATE OR REPLACE TRIGGER automation_steps_check_state_changes BEFORE UPDATE ON automation_steps
  FOR EACH ROW WHEN (
    OLD.state <> 'running'
    AND (OLD.state, OLD.name, OLD.text, OLD.output) IS DISTINCT FROM (NEW.state, NEW.name, NEW.text, NEW.output))
  EXECUTE FUNCTION automation_steps_check_state_changes();
