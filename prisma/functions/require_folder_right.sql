-- Refuses what a caller with narrowed rights may not change because of its folder. The setting querybell.editable_folders
-- names the folders whose content they may change; what is in no folder is also changed by the person who made it.
CREATE OR REPLACE FUNCTION require_folder_right() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'folders' THEN
    IF (TG_OP <> 'INSERT' AND NOT may_edit_folder(OLD.id))
      OR (TG_OP = 'INSERT' AND NOT may_edit_folder(NEW.parent_id))
      OR (TG_OP = 'DELETE' AND NOT may_edit_folder(OLD.parent_id)) THEN
      RAISE EXCEPTION 'may_not_edit' USING ERRCODE = 'QB009';
    END IF;
    IF TG_OP = 'UPDATE' THEN
      IF OLD.parent_id IS DISTINCT FROM NEW.parent_id
        AND NOT (may_edit_folder(OLD.parent_id) AND may_edit_folder(NEW.parent_id)) THEN
        RAISE EXCEPTION 'may_not_edit' USING ERRCODE = 'QB009';
      END IF;
    END IF;
    RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
  END IF;
  IF (TG_OP = 'UPDATE' AND NOT may_edit_item(OLD.folder_id, OLD.created_by))
    OR NOT may_edit_item(NEW.folder_id, NEW.created_by) THEN
    RAISE EXCEPTION 'may_not_edit' USING ERRCODE = 'QB009';
  END IF;
  RETURN NEW;
END $$;

-- Without a caller, the service itself or somebody who may change everything is at work.
CREATE OR REPLACE TRIGGER folders_require_right BEFORE INSERT OR UPDATE OR DELETE ON folders
  FOR EACH ROW WHEN (current_setting('querybell.caller', true) <> '')
  EXECUTE FUNCTION require_folder_right();

CREATE OR REPLACE TRIGGER automations_require_right BEFORE INSERT OR UPDATE ON automations
  FOR EACH ROW WHEN (current_setting('querybell.caller', true) <> '')
  EXECUTE FUNCTION require_folder_right();

CREATE OR REPLACE TRIGGER query_references_require_right BEFORE INSERT OR UPDATE ON query_references
  FOR EACH ROW WHEN (current_setting('querybell.caller', true) <> '')
  EXECUTE FUNCTION require_folder_right();

-- A trial of a draft is in no folder.
CREATE OR REPLACE TRIGGER queries_require_right BEFORE INSERT OR UPDATE ON queries
  FOR EACH ROW WHEN (current_setting('querybell.caller', true) <> '' AND NEW.draft_id IS NULL)
  EXECUTE FUNCTION require_folder_right();

-- Whoever sees a dashboard may refresh it, which writes only last_run_at.
CREATE OR REPLACE TRIGGER dashboards_require_right BEFORE INSERT OR UPDATE OF title, description, content, folder_id,
  archived_at, deleted_at, deletion_id, refresh_schedule, refresh_on_open_seconds ON dashboards
  FOR EACH ROW WHEN (current_setting('querybell.caller', true) <> '')
  EXECUTE FUNCTION require_folder_right();
