ALTER TABLE "organizations" ADD COLUMN     "public_links" BOOLEAN NOT NULL DEFAULT false;

CREATE TABLE "public_links" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "reference_id" UUID,
    "dashboard_id" UUID,
    "token_hash" BYTEA NOT NULL,
    "password_hash" TEXT,
    "expires_at" TIMESTAMPTZ(3),
    "is_following" BOOLEAN NOT NULL,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "owner_id" UUID NOT NULL,
    "views" BIGINT NOT NULL DEFAULT 0,
    "last_view_at" TIMESTAMPTZ(3),
    "failure" TEXT,

    CONSTRAINT "public_links_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "published_pages" (
    "link_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "version" UUID NOT NULL,
    "read_at" TIMESTAMPTZ(3) NOT NULL,
    "content" JSONB NOT NULL,

    CONSTRAINT "published_pages_pkey" PRIMARY KEY ("link_id")
);

CREATE TABLE "published_files" (
    "link_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "organization_id" UUID NOT NULL,
    "reference_id" UUID NOT NULL,
    "bytes" BYTEA NOT NULL,

    CONSTRAINT "published_files_pkey" PRIMARY KEY ("link_id","name")
);

CREATE TABLE "published_charts" (
    "link_id" UUID NOT NULL,
    "reference_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "row_rights_version" INTEGER NOT NULL,

    CONSTRAINT "published_charts_pkey" PRIMARY KEY ("link_id","reference_id")
);

CREATE UNIQUE INDEX "public_links_token_hash_key" ON "public_links"("token_hash");

CREATE INDEX "public_links_organization_id_created_at_id_idx" ON "public_links"("organization_id", "created_at" DESC, "id" DESC);

CREATE INDEX "public_links_reference_id_idx" ON "public_links"("reference_id");

CREATE INDEX "public_links_dashboard_id_idx" ON "public_links"("dashboard_id");

CREATE INDEX "published_pages_organization_id_idx" ON "published_pages"("organization_id");

CREATE INDEX "published_files_organization_id_idx" ON "published_files"("organization_id");

CREATE INDEX "published_charts_reference_id_idx" ON "published_charts"("reference_id");

CREATE INDEX "published_charts_organization_id_idx" ON "published_charts"("organization_id");

ALTER TABLE "public_links" ADD CONSTRAINT "public_links_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "public_links" ADD CONSTRAINT "public_links_reference_id_fkey" FOREIGN KEY ("reference_id") REFERENCES "query_references"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "public_links" ADD CONSTRAINT "public_links_dashboard_id_fkey" FOREIGN KEY ("dashboard_id") REFERENCES "dashboards"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "public_links" ADD CONSTRAINT "public_links_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "public_links" ADD CONSTRAINT "public_links_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "published_pages" ADD CONSTRAINT "published_pages_link_id_fkey" FOREIGN KEY ("link_id") REFERENCES "public_links"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "published_pages" ADD CONSTRAINT "published_pages_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "published_files" ADD CONSTRAINT "published_files_link_id_fkey" FOREIGN KEY ("link_id") REFERENCES "published_pages"("link_id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "published_files" ADD CONSTRAINT "published_files_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "published_charts" ADD CONSTRAINT "published_charts_link_id_fkey" FOREIGN KEY ("link_id") REFERENCES "published_pages"("link_id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "published_charts" ADD CONSTRAINT "published_charts_reference_id_fkey" FOREIGN KEY ("reference_id") REFERENCES "query_references"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "published_charts" ADD CONSTRAINT "published_charts_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "public_links" ADD CONSTRAINT "public_links_one_item" CHECK (num_nonnulls("reference_id", "dashboard_id") = 1);

-- For the public process: adds views to the links with these hashes of their tokens.
CREATE OR REPLACE FUNCTION count_page_views(chosen_hashes bytea[], counts int[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- In the order of their ids, so that two processes do not wait for each other.
  PERFORM FROM public.public_links l WHERE l.token_hash = ANY (chosen_hashes) ORDER BY l.id FOR NO KEY UPDATE;
  UPDATE public.public_links l SET views = l.views + counted.views, last_view_at = public.querybell_now()
  FROM (SELECT * FROM unnest(chosen_hashes, counts) AS c(token_hash, views)) AS counted
  WHERE l.token_hash = counted.token_hash AND counted.views BETWEEN 1 AND 1000000;
END $$;

REVOKE EXECUTE ON FUNCTION count_page_views(bytea[], int[]) FROM PUBLIC;

-- The public link with this hash of its token, if it may be shown now. The public role has no right to call it.
CREATE OR REPLACE FUNCTION current_public_link(chosen_hash bytea) RETURNS SETOF public_links
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY
  SELECT l.* FROM public.public_links l
    JOIN public.organizations o ON o.id = l.organization_id
    JOIN public.members m ON m.organization_id = l.organization_id AND m.user_id = l.owner_id
    JOIN public.users u ON u.id = l.owner_id
    LEFT JOIN public.query_references r ON r.id = l.reference_id
    LEFT JOIN public.dashboards d ON d.id = l.dashboard_id
  WHERE l.token_hash = chosen_hash AND o.public_links AND m.role <> 'viewer' AND u.disabled_at IS NULL
    AND (l.expires_at IS NULL OR l.expires_at > public.querybell_now())
    AND r.deleted_at IS NULL AND d.deleted_at IS NULL
    AND NOT EXISTS (
      SELECT FROM public.organization_deletions e
      WHERE e.organization_id = l.organization_id AND e.started_at IS NOT NULL);
END $$;

REVOKE EXECUTE ON FUNCTION current_public_link(bytea) FROM PUBLIC;

-- For the public process: whether there is a page behind a token, without its content. The charts that must not be shown are
-- named: they were deleted, or the policies or roles of their database have changed since.
CREATE OR REPLACE FUNCTION find_published_page(chosen_hash bytea)
RETURNS TABLE (version uuid, password_hash text, hidden uuid[])
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT p.version, l.password_hash, ARRAY(
    SELECT c.reference_id FROM public.published_charts c
      JOIN public.query_references r ON r.id = c.reference_id
      LEFT JOIN public.queries q ON q.id = r.query_id
      LEFT JOIN public.analytical_database_configs d ON d.id = q.analytical_database_config_id
    WHERE c.link_id = l.id AND (
      r.deleted_at IS NOT NULL OR d.row_rights_version IS DISTINCT FROM c.row_rights_version)
    ORDER BY c.reference_id)
  FROM public.current_public_link(chosen_hash) l JOIN public.published_pages p ON p.link_id = l.id
$$;

REVOKE EXECUTE ON FUNCTION find_published_page(bytea) FROM PUBLIC;

-- Gives the role of the public process all that it may do, if there is such a role. Executed after every migration.
CREATE OR REPLACE FUNCTION grant_public_role() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'querybell_public') THEN
    RETURN;
  END IF;
  GRANT USAGE ON SCHEMA public TO querybell_public;
  GRANT EXECUTE ON FUNCTION public.find_published_page(bytea), public.read_published_page(bytea),
    public.read_published_file(bytea, text), public.count_page_views(bytea[], int[]) TO querybell_public;
END $$;

-- A new result brings the pages of public links that follow it up to date, by a job: one for each link, a second after the first
-- new result. The job finds out whether the page shows it.
CREATE OR REPLACE FUNCTION query_results_update_pages() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  link uuid;
BEGIN
  FOR link IN
    SELECT l.id FROM public.public_links l WHERE l.dashboard_id = NEW.dashboard_id AND l.is_following
    UNION ALL
    SELECT l.id FROM public.query_references r JOIN public.public_links l ON l.reference_id = r.id
    WHERE r.query_id = NEW.query_id AND l.is_following
  LOOP
    PERFORM graphile_worker.add_job('update_published_page', json_build_object('linkId', link), max_attempts => 5,
      job_key => 'update_published_page ' || link, job_key_mode => 'preserve_run_at',
      run_at => now() + interval '1 second');
  END LOOP;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER query_results_update_pages AFTER INSERT ON query_results
  FOR EACH ROW EXECUTE FUNCTION query_results_update_pages();

-- For the public process: a picture of the page behind a token, and the chart that it shows.
CREATE OR REPLACE FUNCTION read_published_file(chosen_hash bytea, chosen_name text)
RETURNS TABLE (version uuid, reference_id uuid, bytes bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT p.version, f.reference_id, f.bytes
  FROM public.current_public_link(chosen_hash) l JOIN public.published_pages p ON p.link_id = l.id
    JOIN public.published_files f ON f.link_id = l.id
  WHERE f.name = chosen_name
$$;

REVOKE EXECUTE ON FUNCTION read_published_file(bytea, text) FROM PUBLIC;

-- For the public process: the content of the page behind a token.
CREATE OR REPLACE FUNCTION read_published_page(chosen_hash bytea)
RETURNS TABLE (version uuid, content jsonb)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT p.version, p.content
  FROM public.current_public_link(chosen_hash) l JOIN public.published_pages p ON p.link_id = l.id
$$;

REVOKE EXECUTE ON FUNCTION read_published_page(bytea) FROM PUBLIC;

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
