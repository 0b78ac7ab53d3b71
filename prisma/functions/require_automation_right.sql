-- Refuses to acknowledge or snooze the condition of an automation that a caller with narrowed rights may not change.
CREATE OR REPLACE FUNCTION require_automation_right() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM public.automations a WHERE a.id = NEW.automation_id AND may_edit_item(a.folder_id, a.created_by)) THEN
    RAISE EXCEPTION 'may_not_edit' USING ERRCODE = 'QB009';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER automation_condition_states_require_right BEFORE UPDATE ON automation_condition_states
  FOR EACH ROW WHEN (current_setting('querybell.caller', true) <> '')
  EXECUTE FUNCTION require_automation_right();
