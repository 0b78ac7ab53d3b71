-- For the public process: the link with this hash of its token, what visitors may choose, and its pages, without their content.
-- The charts of a page that must not be shown are named: they were deleted, or the policies or roles of their database have
-- changed since.
CREATE OR REPLACE FUNCTION find_public_link(chosen_hash bytea)
RETURNS TABLE (password_hash text, choices jsonb, pages jsonb)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT l.password_hash, l.choices, coalesce((
    SELECT jsonb_agg(jsonb_build_object('number', p.number, 'version', p.version, 'hidden', ARRAY(
      SELECT c.reference_id FROM public.published_charts c
        JOIN public.query_references r ON r.id = c.reference_id
        LEFT JOIN public.queries q ON q.id = r.query_id
        LEFT JOIN public.analytical_database_configs d ON d.id = q.analytical_database_config_id
      WHERE c.link_id = p.link_id AND c.number = p.number AND (
        r.deleted_at IS NOT NULL OR d.row_rights_version IS DISTINCT FROM c.row_rights_version)
      ORDER BY c.reference_id)))
    FROM public.published_pages p WHERE p.link_id = l.id), '[]')
  FROM public.current_public_link(chosen_hash) l
$$;

REVOKE EXECUTE ON FUNCTION find_public_link(bytea) FROM PUBLIC;
