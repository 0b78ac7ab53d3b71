-- For the public process: what the frame behind an address may show, and which sites may show the frame.
CREATE OR REPLACE FUNCTION find_embed_session(chosen_hash bytea)
RETURNS TABLE (token text, origins text[])
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT s.token, k.origins
  FROM public.current_embed_session(chosen_hash) s JOIN public.embedding_keys k ON k.id = s.key_id
$$;

REVOKE EXECUTE ON FUNCTION find_embed_session(bytea) FROM PUBLIC;
