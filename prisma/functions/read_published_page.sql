-- For the public process: the content of the page behind a token.
CREATE OR REPLACE FUNCTION read_published_page(chosen_hash bytea)
RETURNS TABLE (version uuid, content jsonb)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT p.version, p.content
  FROM public.current_public_link(chosen_hash) l JOIN public.published_pages p ON p.link_id = l.id
$$;

REVOKE EXECUTE ON FUNCTION read_published_page(bytea) FROM PUBLIC;
