-- Gives a chart the name of its table in queries, once it has a title of its own. The name never changes, because queries
-- use it. If another chart has it, a part of the id is added.
CREATE OR REPLACE FUNCTION name_chart() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  base text := chart_name_of(NEW.title);
  digits text := replace(NEW.id::text, '-', '');
  candidate text;
BEGIN
  FOREACH candidate IN ARRAY ARRAY[base, base || '_' || right(digits, 6), base || '_' || digits] LOOP
    INSERT INTO chart_names (organization_id, reference_id, name) VALUES (NEW.organization_id, NEW.id, candidate)
    ON CONFLICT DO NOTHING;
    EXIT WHEN FOUND OR EXISTS (SELECT FROM chart_names WHERE reference_id = NEW.id);
  END LOOP;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER name_chart AFTER INSERT OR UPDATE OF title ON query_references
  FOR EACH ROW
  WHEN (NEW.title <> 'Untitled query')
  EXECUTE FUNCTION name_chart();
