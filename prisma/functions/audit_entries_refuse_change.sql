-- What the audit log says cannot be changed. Its entries go with their organization, or after a retention period of at
-- least 90 days.
CREATE OR REPLACE FUNCTION audit_entries_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND (
    OLD.at < querybell_now() - interval '90 days'
    OR NOT EXISTS (SELECT 1 FROM organizations WHERE id = OLD.organization_id)
    OR EXISTS (
      SELECT 1 FROM organization_deletions WHERE organization_id = OLD.organization_id AND started_at IS NOT NULL)
  ) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'the audit log is never edited';
END $$;

CREATE OR REPLACE TRIGGER audit_entries_refuse_change BEFORE UPDATE OR DELETE ON audit_entries
  FOR EACH ROW
  EXECUTE FUNCTION audit_entries_refuse_change();

CREATE OR REPLACE TRIGGER audit_entries_refuse_truncate BEFORE TRUNCATE ON audit_entries
  FOR EACH STATEMENT
  EXECUTE FUNCTION audit_entries_refuse_change();
