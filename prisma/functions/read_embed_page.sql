-- For the public process: the content of a page of a session.
CREATE OR REPLACE FUNCTION read_embed_page(chosen_hash bytea, chosen_page uuid)
RETURNS TABLE (version uuid, content jsonb)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT p.version, p.content
  FROM public.current_embed_session(chosen_hash) s
    JOIN public.embed_pages p ON p.key_id = s.key_id AND p.scope_hash = s.scope_hash
  WHERE p.id = chosen_page AND p.content IS NOT NULL
$$;

REVOKE EXECUTE ON FUNCTION read_embed_page(bytea, uuid) FROM PUBLIC;
