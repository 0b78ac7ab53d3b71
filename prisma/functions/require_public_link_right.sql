-- A caller with narrowed rights publishes only what they may change.
CREATE OR REPLACE FUNCTION require_public_link_right() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  link public.public_links := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  IF NOT EXISTS (
    SELECT FROM public.query_references r WHERE r.id = link.reference_id AND may_edit_item(r.folder_id, r.created_by)
    UNION ALL
    SELECT FROM public.dashboards d WHERE d.id = link.dashboard_id AND may_edit_item(d.folder_id, d.created_by)) THEN
    RAISE EXCEPTION 'may_not_edit' USING ERRCODE = 'QB009';
  END IF;
  RETURN link;
END $$;

CREATE OR REPLACE TRIGGER public_links_require_right BEFORE INSERT OR UPDATE OR DELETE ON public_links
  FOR EACH ROW WHEN (current_setting('querybell.caller', true) <> '')
  EXECUTE FUNCTION require_public_link_right();
