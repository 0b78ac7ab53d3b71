-- Keeps what a listed row was before a change, and the transactions of its changes. A row as of a snapshot s
-- exists if created_xid is visible in s and its deleted_at in s is null; its values are those of the row itself if
-- changed_xid is visible in s, otherwise those of the version whose changed_xid is and whose replaced_xid is not.
-- deleted_xid is the last deletion that was not undone: if it is visible in s, the row does not exist in s.
CREATE OR REPLACE FUNCTION keep_row_version() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  -- What no list with a snapshot shows. Moving a hundred queries need not copy their SQL.
  unlisted CONSTANT text[] := '{folder_id,archived_at}';
BEGIN
  NEW.created_xid := OLD.created_xid;
  NEW.changed_xid := OLD.changed_xid;
  NEW.deleted_xid := OLD.deleted_xid;
  IF to_jsonb(NEW) - unlisted = to_jsonb(OLD) - unlisted THEN
    RETURN NEW;
  END IF;
  NEW.changed_xid := pg_current_xact_id();
  NEW.deleted_xid := CASE WHEN NEW.deleted_at IS NULL THEN NULL ELSE coalesce(OLD.deleted_xid, pg_current_xact_id()) END;
  -- What the same transaction wrote before was never seen by anybody.
  IF OLD.changed_xid <> pg_current_xact_id() THEN
    INSERT INTO row_versions (row_id, changed_xid, replaced_xid, replaced_at, row)
    VALUES (OLD.id, OLD.changed_xid, pg_current_xact_id(), querybell_now(), to_jsonb(OLD));
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER queries_keep_version BEFORE UPDATE ON queries
  FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION keep_row_version();

CREATE OR REPLACE TRIGGER query_references_keep_version BEFORE UPDATE ON query_references
  FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION keep_row_version();
