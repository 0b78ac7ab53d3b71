-- Counts the versions of a dashboard, and keeps its content before a change. Pages save every change, so what one person wrote
-- within ten minutes of the last kept version is replaced and not kept. The last 100 are kept.
CREATE OR REPLACE FUNCTION keep_dashboard_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.version_by <> NEW.version_by OR NOT EXISTS (
    SELECT FROM public.dashboard_versions v
    WHERE v.dashboard_id = OLD.id AND v.created_at > NEW.version_at - interval '10 minutes') THEN
    INSERT INTO public.dashboard_versions (dashboard_id, version, organization_id, content, created_by, created_at)
    VALUES (OLD.id, OLD.version, OLD.organization_id, OLD.content, OLD.version_by, OLD.version_at);
    DELETE FROM public.dashboard_versions v WHERE v.dashboard_id = OLD.id AND v.version IN (
      SELECT o.version FROM public.dashboard_versions o WHERE o.dashboard_id = OLD.id ORDER BY o.version DESC OFFSET 100);
  END IF;
  NEW.version := OLD.version + 1;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER dashboards_count_versions BEFORE UPDATE OF content ON dashboards
  FOR EACH ROW WHEN (OLD.content <> NEW.content)
  EXECUTE FUNCTION keep_dashboard_version();
