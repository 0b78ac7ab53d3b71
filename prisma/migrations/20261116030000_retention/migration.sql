-- Retention looks for old rows. These indexes are small, and writing a row costs next to nothing more.
CREATE INDEX "query_runs_created_at_idx" ON "query_runs" USING BRIN ("created_at");
CREATE INDEX "automation_runs_created_at_idx" ON "automation_runs" USING BRIN ("created_at");
CREATE INDEX "notifications_created_at_idx" ON "notifications" USING BRIN ("created_at");
CREATE INDEX "audit_entries_at_idx" ON "audit_entries" USING BRIN ("at");

-- What the audit log says cannot be changed. Its entries go with their organization, or after a retention period of at
-- least 90 days.
CREATE OR REPLACE FUNCTION "audit_entries_refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND (
    OLD.at < querybell_now() - interval '90 days'
    OR NOT EXISTS (SELECT 1 FROM organizations WHERE id = OLD.organization_id)
  ) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'the audit log is never edited';
END $$;
