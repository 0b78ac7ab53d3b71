ALTER TABLE "dashboards" ADD COLUMN     "next_refresh_at" TIMESTAMPTZ(3),
ADD COLUMN     "refresh_failure" TEXT,
ADD COLUMN     "refresh_on_open_seconds" INTEGER,
ADD COLUMN     "refresh_owner_id" UUID,
ADD COLUMN     "refresh_schedule" JSONB,
ADD COLUMN     "scheduled_refresh_id" UUID;

CREATE INDEX "dashboards_refresh_owner_id_idx" ON "dashboards"("refresh_owner_id");

ALTER TABLE "dashboards" ADD CONSTRAINT "dashboards_refresh_owner_id_fkey" FOREIGN KEY ("refresh_owner_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

ALTER TABLE "dashboards" ADD CONSTRAINT "dashboards_next_refresh_at" CHECK ("next_refresh_at" IS NULL OR "refresh_schedule" IS NOT NULL);
ALTER TABLE "dashboards" ADD CONSTRAINT "dashboards_refresh_on_open" CHECK ("refresh_on_open_seconds" BETWEEN 60 AND 2678400);
ALTER TABLE "notification_preferences" DROP CONSTRAINT "notification_preferences_kind";
ALTER TABLE "notification_preferences" ADD CONSTRAINT "notification_preferences_kind" CHECK ("kind" IN ('automation_run_failed', 'automation_summary', 'dashboard_refresh_failed'));
CREATE INDEX "dashboards_due_idx" ON "dashboards" ("next_refresh_at") WHERE "next_refresh_at" IS NOT NULL AND "deleted_at" IS NULL AND "archived_at" IS NULL;
CREATE INDEX "dashboards_scheduled_refresh_idx" ON "dashboards" ("id") WHERE "scheduled_refresh_id" IS NOT NULL;

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

-- Whether somebody who sees these folders sees a dashboard.
CREATE OR REPLACE FUNCTION sees_dashboard(chosen_dashboard uuid, chosen_user uuid, seen_folders uuid[])
RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM public.dashboards d
    WHERE d.id = chosen_dashboard
      AND (coalesce(d.folder_id, '00000000-0000-0000-0000-000000000000') = ANY (seen_folders)
        OR (d.folder_id IS NULL AND d.created_by = chosen_user)))
$$;
