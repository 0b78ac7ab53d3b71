-- DropForeignKey
ALTER TABLE "published_charts" DROP CONSTRAINT "published_charts_link_id_fkey";

-- DropForeignKey
ALTER TABLE "published_files" DROP CONSTRAINT "published_files_link_id_fkey";

-- AlterTable
ALTER TABLE "public_links" ADD COLUMN     "choices" JSONB NOT NULL DEFAULT '[]';

-- AlterTable
ALTER TABLE "published_charts" DROP CONSTRAINT "published_charts_pkey",
ADD COLUMN     "number" INTEGER NOT NULL DEFAULT 0,
ADD CONSTRAINT "published_charts_pkey" PRIMARY KEY ("link_id", "number", "reference_id");

-- AlterTable
ALTER TABLE "published_files" DROP CONSTRAINT "published_files_pkey",
ADD COLUMN     "number" INTEGER NOT NULL DEFAULT 0,
ADD CONSTRAINT "published_files_pkey" PRIMARY KEY ("link_id", "number", "name");

-- AlterTable
ALTER TABLE "published_pages" DROP CONSTRAINT "published_pages_pkey",
ADD COLUMN     "number" INTEGER NOT NULL DEFAULT 0,
ADD CONSTRAINT "published_pages_pkey" PRIMARY KEY ("link_id", "number");

-- AddForeignKey
ALTER TABLE "published_files" ADD CONSTRAINT "published_files_link_id_number_fkey" FOREIGN KEY ("link_id", "number") REFERENCES "published_pages"("link_id", "number") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "published_charts" ADD CONSTRAINT "published_charts_link_id_number_fkey" FOREIGN KEY ("link_id", "number") REFERENCES "published_pages"("link_id", "number") ON DELETE CASCADE ON UPDATE CASCADE;

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

-- For the public process: the link with this hash of its token, what visitors may choose, and its pages, without their content.
-- The charts of a page that must not be shown are named: they were deleted, or the policies or roles of their database have
-- changed since.
CREATE OR REPLACE FUNCTION find_public_link(chosen_hash bytea)
RETURNS TABLE (password_hash text, choices jsonb, pages jsonb)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT l.password_hash, l.choices, coalesce((
    SELECT jsonb_agg(jsonb_build_object('number', p.number, 'version', p.version, 'hidden', ARRAY(
      SELECT c.reference_id FROM public.published_charts c
        JOIN public.query_references r ON r.id = c.reference_id
        LEFT JOIN public.queries q ON q.id = r.query_id
        LEFT JOIN public.analytical_database_configs d ON d.id = q.analytical_database_config_id
      WHERE c.link_id = p.link_id AND c.number = p.number AND (
        r.deleted_at IS NOT NULL OR d.row_rights_version IS DISTINCT FROM c.row_rights_version)
      ORDER BY c.reference_id)))
    FROM public.published_pages p WHERE p.link_id = l.id), '[]')
  FROM public.current_public_link(chosen_hash) l
$$;

REVOKE EXECUTE ON FUNCTION find_public_link(bytea) FROM PUBLIC;

-- Gives the role of the public process all that it may do, if there is such a role. Executed after every migration.
CREATE OR REPLACE FUNCTION grant_public_role() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'querybell_public') THEN
    RETURN;
  END IF;
  GRANT USAGE ON SCHEMA public TO querybell_public;
  GRANT EXECUTE ON FUNCTION public.find_public_link(bytea), public.read_published_page(bytea, int),
    public.read_published_file(bytea, int, text), public.count_page_views(bytea[], int[]),
    public.find_embedding_key(uuid), public.open_embed_session(uuid, text, bytea, bytea, text, timestamptz),
    public.find_embed_session(bytea), public.request_embed_page(bytea, bytea, jsonb),
    public.read_embed_page(bytea, uuid), public.read_embed_file(bytea, uuid, text),
    public.record_public_process(uuid, text, text, timestamptz, boolean) TO querybell_public;
END $$;

-- The number of a page says which values it shows. Other choices give the numbers another meaning, so the pages are deleted.
CREATE OR REPLACE FUNCTION public_links_delete_pages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM public.published_pages WHERE link_id = NEW.id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER public_links_delete_pages AFTER UPDATE OF choices ON public_links
  FOR EACH ROW WHEN (NEW.choices IS DISTINCT FROM OLD.choices)
  EXECUTE FUNCTION public_links_delete_pages();

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

-- For the public process: a picture of a page of the link with this hash of its token, and the chart that it shows.
CREATE OR REPLACE FUNCTION read_published_file(chosen_hash bytea, chosen_number int, chosen_name text)
RETURNS TABLE (version uuid, reference_id uuid, bytes bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT p.version, f.reference_id, f.bytes
  FROM public.current_public_link(chosen_hash) l JOIN public.published_pages p ON p.link_id = l.id
    JOIN public.published_files f ON f.link_id = l.id AND f.number = p.number
  WHERE p.number = chosen_number AND f.name = chosen_name
$$;

REVOKE EXECUTE ON FUNCTION read_published_file(bytea, int, text) FROM PUBLIC;

-- For the public process: the content of a page of the link with this hash of its token.
CREATE OR REPLACE FUNCTION read_published_page(chosen_hash bytea, chosen_number int)
RETURNS TABLE (version uuid, content jsonb)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT p.version, p.content
  FROM public.current_public_link(chosen_hash) l JOIN public.published_pages p ON p.link_id = l.id
  WHERE p.number = chosen_number
$$;

REVOKE EXECUTE ON FUNCTION read_published_page(bytea, int) FROM PUBLIC;

DROP FUNCTION read_published_page(bytea);

DROP FUNCTION read_published_file(bytea,text);

DROP FUNCTION find_published_page(bytea);

ALTER TABLE "public_links" ADD CONSTRAINT "public_links_choices_follow" CHECK ("is_following" OR "choices" = '[]');
