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
    public.read_message_picture(bytea), public.record_public_process(uuid, text, text, timestamptz, boolean) TO querybell_public;
END $$;
