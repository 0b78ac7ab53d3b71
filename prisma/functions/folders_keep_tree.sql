-- Folders are a tree: without cycles, at most 8 levels deep, at most 1,000 in an organization. Changes of one
-- organization's tree take turns: two moves that are valid alone could make a cycle together.
--
-- In plpgsql, because every statement of a function sees what was committed before it began, so after the lock was granted.
CREATE OR REPLACE FUNCTION folders_keep_tree() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  levels_above int;
  levels_below int;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('folders:' || NEW.organization_id, 0));
  IF TG_OP = 'INSERT' AND (SELECT count(*) FROM folders WHERE organization_id = NEW.organization_id) >= 1000 THEN
    RAISE EXCEPTION 'too_many_folders' USING ERRCODE = 'QB006';
  END IF;
  WITH RECURSIVE above AS (
    SELECT f.id, f.parent_id, 1 AS level FROM folders f
    WHERE f.organization_id = NEW.organization_id AND f.id = NEW.parent_id
    UNION ALL
    SELECT f.id, f.parent_id, a.level + 1 FROM above a
      JOIN folders f ON f.organization_id = NEW.organization_id AND f.id = a.parent_id
    WHERE a.id <> NEW.id
  )
  SELECT CASE WHEN bool_or(id = NEW.id) THEN NULL ELSE coalesce(max(level), 0) END INTO levels_above FROM above;
  IF levels_above IS NULL THEN
    RAISE EXCEPTION 'folder_cycle' USING ERRCODE = 'QB004';
  END IF;
  WITH RECURSIVE below AS (
    SELECT NEW.id AS id, 1 AS level
    UNION ALL
    SELECT f.id, b.level + 1 FROM below b
      JOIN folders f ON f.organization_id = NEW.organization_id AND f.parent_id = b.id
  )
  SELECT max(level) INTO levels_below FROM below;
  IF levels_above + levels_below > 8 THEN
    RAISE EXCEPTION 'folders_too_deep' USING ERRCODE = 'QB005';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER folders_keep_tree BEFORE INSERT OR UPDATE OF parent_id ON folders
  FOR EACH ROW
  EXECUTE FUNCTION folders_keep_tree();
