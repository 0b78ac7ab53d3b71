-- A refresh by schedule also runs the queries of pages with choices, by a job for each public link of the dashboard. It has the
-- rights of the link's owner.
CREATE OR REPLACE FUNCTION dashboards_refresh_choices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM graphile_worker.add_job('refresh_published_choices',
    json_build_object('linkId', l.id, 'since', public.querybell_now()), max_attempts => 5,
    queue_name => 'publish ' || l.organization_id, job_key => 'refresh_published_choices ' || l.id)
  FROM public.public_links l WHERE l.dashboard_id = NEW.id AND l.is_following AND l.choices <> '[]';
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER dashboards_refresh_choices AFTER UPDATE OF scheduled_refresh_id ON dashboards
  FOR EACH ROW WHEN (NEW.scheduled_refresh_id IS NOT NULL AND NEW.scheduled_refresh_id IS DISTINCT FROM OLD.scheduled_refresh_id)
  EXECUTE FUNCTION dashboards_refresh_choices();
