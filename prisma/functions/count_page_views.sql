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
