-- For the public process: whether there is a page behind a token, without its content. The charts that must not be shown are
-- named: they were deleted, or the policies or roles of their database have changed since.
CREATE OR REPLACE FUNCTION find_published_page(chosen_hash bytea)
RETURNS TABLE (version uuid, password_hash text, hidden uuid[])
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT p.version, l.password_hash, ARRAY(
    SELECT c.reference_id FROM public.published_charts c
      JOIN public.query_references r ON r.id = c.reference_id
      LEFT JOIN public.queries q ON q.id = r.query_id
      LEFT JOIN public.analytical_database_configs d ON d.id = q.analytical_database_config_id
    WHERE c.link_id = l.id AND (
      r.deleted_at IS NOT NULL OR d.row_rights_version IS DISTINCT FROM c.row_rights_version)
    ORDER BY c.reference_id)
  FROM public.current_public_link(chosen_hash) l JOIN public.published_pages p ON p.link_id = l.id
$$;

REVOKE EXECUTE ON FUNCTION find_published_page(bytea) FROM PUBLIC;
