-- Refuses parameters of a query that a caller with narrowed rights may not change.
CREATE OR REPLACE FUNCTION require_query_right() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM public.queries q WHERE q.id = NEW.query_id AND may_edit_item(q.folder_id, q.created_by)) THEN
    RAISE EXCEPTION 'may_not_edit' USING ERRCODE = 'QB009';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER query_parameters_require_right BEFORE INSERT OR UPDATE ON query_parameters
  FOR EACH ROW WHEN (current_setting('querybell.caller', true) <> '')
  EXECUTE FUNCTION require_query_right();
