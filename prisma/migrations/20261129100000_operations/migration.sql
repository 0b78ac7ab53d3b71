-- CreateTable
CREATE UNLOGGED TABLE "processes" (
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,
    "disk_free_bytes" BIGINT,
    "disk_size_bytes" BIGINT,

    CONSTRAINT "processes_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "processes_kind_check" CHECK ("kind" IN ('api', 'worker', 'public'))
);

-- For the public process: says that it runs or, with is_stopping, that it does not any more. The role serves anybody, so it
-- writes short texts, rows of its own kind, and not many of them.
CREATE OR REPLACE FUNCTION record_public_process(
  chosen_id uuid, chosen_version text, chosen_host text, since timestamptz, is_stopping boolean
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF is_stopping THEN
    DELETE FROM public.processes WHERE id = chosen_id AND kind = 'public';
    RETURN;
  END IF;
  UPDATE public.processes SET seen_at = now() WHERE id = chosen_id AND kind = 'public';
  IF FOUND OR (SELECT count(*) FROM public.processes WHERE kind = 'public') >= 100 THEN
    RETURN;
  END IF;
  INSERT INTO public.processes (id, kind, version, host, started_at, seen_at)
  VALUES (chosen_id, 'public', left(chosen_version, 100), left(chosen_host, 100),
    greatest(least(since, now()), now() - interval '10 years'), now())
  ON CONFLICT (id) DO NOTHING;
END $$;

REVOKE EXECUTE ON FUNCTION record_public_process(uuid, text, text, timestamptz, boolean) FROM PUBLIC;

-- Gives the role of the public process all that it may do, if there is such a role. Executed after every migration.
CREATE OR REPLACE FUNCTION grant_public_role() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'querybell_public') THEN
    RETURN;
  END IF;
  GRANT USAGE ON SCHEMA public TO querybell_public;
  GRANT EXECUTE ON FUNCTION public.find_published_page(bytea), public.read_published_page(bytea),
    public.read_published_file(bytea, text), public.count_page_views(bytea[], int[]),
    public.find_embedding_key(uuid), public.open_embed_session(uuid, text, bytea, bytea, text, timestamptz),
    public.find_embed_session(bytea), public.request_embed_page(bytea, bytea, jsonb),
    public.read_embed_page(bytea, uuid), public.read_embed_file(bytea, uuid, text),
    public.record_public_process(uuid, text, text, timestamptz, boolean) TO querybell_public;
END $$;
