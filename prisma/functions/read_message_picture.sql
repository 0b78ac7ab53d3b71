-- For the public process: a picture of a message, by its token. Not if it has expired, if public links are off, or if one of
-- its charts was deleted or has other policies or roles than when it was drawn.
CREATE OR REPLACE FUNCTION read_message_picture(chosen_hash bytea) RETURNS TABLE (png bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT p.png
  FROM public.message_pictures p JOIN public.organizations o ON o.id = p.organization_id
  WHERE p.token_hash = chosen_hash AND o.public_links AND p.expires_at > public.querybell_now()
    AND NOT EXISTS (
      SELECT FROM unnest(p.reference_ids, p.row_rights_versions) AS chart(id, version)
        LEFT JOIN public.query_references r ON r.id = chart.id AND r.deleted_at IS NULL
        LEFT JOIN public.queries q ON q.id = r.query_id
        LEFT JOIN public.analytical_database_configs d ON d.id = q.analytical_database_config_id
      WHERE d.row_rights_version IS DISTINCT FROM chart.version)
    AND NOT EXISTS (
      SELECT FROM public.organization_deletions e
      WHERE e.organization_id = p.organization_id AND e.started_at IS NOT NULL)
$$;

REVOKE EXECUTE ON FUNCTION read_message_picture(bytea) FROM PUBLIC;
