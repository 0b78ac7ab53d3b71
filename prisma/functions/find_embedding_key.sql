-- For the public process: the key that verifies a token. It is public, and signs nothing.
CREATE OR REPLACE FUNCTION find_embedding_key(chosen_key uuid) RETURNS TABLE (public_key text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT k.public_key FROM public.current_embedding_key(chosen_key) k
$$;

REVOKE EXECUTE ON FUNCTION find_embedding_key(uuid) FROM PUBLIC;
