-- Keeps a query's statement before a change, whatever changes it, and counts the versions. The last 100 are kept.
CREATE OR REPLACE FUNCTION keep_query_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO query_versions (query_id, version, organization_id, analytical_database_config_id, sql, created_by, created_at)
  VALUES (OLD.id, OLD.version, OLD.organization_id, OLD.analytical_database_config_id, OLD.sql,
    coalesce(OLD.version_by, OLD.created_by), coalesce(OLD.version_at, OLD.created_at));
  DELETE FROM query_versions WHERE query_id = OLD.id AND version <= OLD.version - 100;
  NEW.version := OLD.version + 1;
  RETURN NEW;
END $$;

-- Before the trigger that keeps listed rows: they fire in the order of their names.
CREATE OR REPLACE TRIGGER queries_count_versions BEFORE UPDATE ON queries
  FOR EACH ROW WHEN (OLD.sql <> NEW.sql OR OLD.analytical_database_config_id <> NEW.analytical_database_config_id)
  EXECUTE FUNCTION keep_query_version();
