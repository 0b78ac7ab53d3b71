-- Refuses SQL on a database, and descriptions of its tables, by a caller who may not write SQL on it.
CREATE OR REPLACE FUNCTION require_database_right() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  chosen_database uuid;
BEGIN
  IF TG_TABLE_NAME = 'queries' THEN
    chosen_database := NEW.analytical_database_config_id;
  ELSE
    chosen_database := NEW.database_id;
  END IF;
  IF NOT may_write_sql(chosen_database) THEN
    RAISE EXCEPTION 'may_not_write_sql' USING ERRCODE = 'QB008';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER queries_require_database_right BEFORE INSERT ON queries
  FOR EACH ROW WHEN (current_setting('querybell.caller', true) <> '')
  EXECUTE FUNCTION require_database_right();

CREATE OR REPLACE TRIGGER queries_require_right_for_sql BEFORE UPDATE ON queries
  FOR EACH ROW WHEN (current_setting('querybell.caller', true) <> '' AND (
    OLD.sql <> NEW.sql OR OLD.analytical_database_config_id <> NEW.analytical_database_config_id))
  EXECUTE FUNCTION require_database_right();

CREATE OR REPLACE TRIGGER table_descriptions_require_right BEFORE INSERT OR UPDATE ON table_descriptions
  FOR EACH ROW WHEN (current_setting('querybell.caller', true) <> '')
  EXECUTE FUNCTION require_database_right();
