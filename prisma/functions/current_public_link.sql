-- The public link with this hash of its token, if it may be shown now. The public role has no right to call it.
CREATE OR REPLACE FUNCTION current_public_link(chosen_hash bytea) RETURNS SETOF public_links
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY
  SELECT l.* FROM public.public_links l
    JOIN public.organizations o ON o.id = l.organization_id
    JOIN public.members m ON m.organization_id = l.organization_id AND m.user_id = l.owner_id
    JOIN public.users u ON u.id = l.owner_id
    LEFT JOIN public.query_references r ON r.id = l.reference_id
    LEFT JOIN public.dashboards d ON d.id = l.dashboard_id
  WHERE l.token_hash = chosen_hash AND o.public_links AND m.role <> 'viewer' AND u.disabled_at IS NULL
    AND (l.expires_at IS NULL OR l.expires_at > public.querybell_now())
    AND r.deleted_at IS NULL AND d.deleted_at IS NULL
    AND NOT EXISTS (
      SELECT FROM public.organization_deletions e
      WHERE e.organization_id = l.organization_id AND e.started_at IS NOT NULL);
END $$;

REVOKE EXECUTE ON FUNCTION current_public_link(bytea) FROM PUBLIC;
