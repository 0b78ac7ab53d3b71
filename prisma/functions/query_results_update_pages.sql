-- A new result brings the pages of public links that follow it up to date, by a job: one for each link, a second after the first
-- new result. The job finds out which pages show it. The jobs of an organization run one after the other: a link can have many
-- pages to draw.
CREATE OR REPLACE FUNCTION query_results_update_pages() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  link uuid;
  queue CONSTANT text := 'publish ' || NEW.organization_id;
BEGIN
  FOR link IN
    SELECT l.id FROM public.public_links l WHERE l.dashboard_id = NEW.dashboard_id AND l.is_following
    UNION ALL
    SELECT l.id FROM public.query_references r JOIN public.public_links l ON l.reference_id = r.id
    WHERE r.query_id = NEW.query_id AND l.is_following
  LOOP
    PERFORM graphile_worker.add_job('update_published_page', json_build_object('linkId', link), max_attempts => 5,
      queue_name => queue, job_key => 'update_published_page ' || link, job_key_mode => 'preserve_run_at',
      run_at => now() + interval '1 second');
  END LOOP;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER query_results_update_pages AFTER INSERT ON query_results
  FOR EACH ROW EXECUTE FUNCTION query_results_update_pages();
