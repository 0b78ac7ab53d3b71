-- Keeps when each automation last ran, as keep_query_last_runs does for queries. Trials do not count.
CREATE OR REPLACE FUNCTION keep_automation_last_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'automations' THEN
    INSERT INTO automation_last_runs (automation_id, organization_id, last_run_at)
    SELECT id, organization_id, '-infinity' FROM inserted WHERE deleted_at IS NULL;
  ELSE
    UPDATE automation_last_runs l SET last_run_at = latest.created_at
    FROM (
      SELECT automation_id, max(created_at) AS created_at FROM inserted WHERE NOT is_trial GROUP BY automation_id
    ) latest
    WHERE l.automation_id = latest.automation_id AND l.last_run_at < latest.created_at;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER automations_keep_last_runs AFTER INSERT ON automations
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT
  EXECUTE FUNCTION keep_automation_last_runs();

CREATE OR REPLACE TRIGGER automation_runs_keep_last_runs AFTER INSERT ON automation_runs
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT
  EXECUTE FUNCTION keep_automation_last_runs();
