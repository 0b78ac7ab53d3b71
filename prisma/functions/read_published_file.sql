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
