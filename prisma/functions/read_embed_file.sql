-- For the public process: a picture of a page of a session.
CREATE OR REPLACE FUNCTION read_embed_file(chosen_hash bytea, chosen_page uuid, chosen_name text)
RETURNS TABLE (version uuid, bytes bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT p.version, f.bytes
  FROM public.current_embed_session(chosen_hash) s
    JOIN public.embed_pages p ON p.key_id = s.key_id AND p.scope_hash = s.scope_hash
    JOIN public.embed_files f ON f.page_id = p.id
  WHERE p.id = chosen_page AND f.name = chosen_name
$$;

REVOKE EXECUTE ON FUNCTION read_embed_file(bytea, uuid, text) FROM PUBLIC;
