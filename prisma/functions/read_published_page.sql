-- For the public process: the content of a page of the link with this hash of its token.
CREATE OR REPLACE FUNCTION read_published_page(chosen_hash bytea, chosen_number int)
RETURNS TABLE (version uuid, content jsonb)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT p.version, p.content
  FROM public.current_public_link(chosen_hash) l JOIN public.published_pages p ON p.link_id = l.id
  WHERE p.number = chosen_number
$$;

REVOKE EXECUTE ON FUNCTION read_published_page(bytea, int) FROM PUBLIC;
