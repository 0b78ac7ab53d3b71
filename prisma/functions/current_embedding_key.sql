-- The embedding key with this id, if its tokens count now. The public role has no right to call it.
CREATE OR REPLACE FUNCTION current_embedding_key(chosen_key uuid) RETURNS SETOF embedding_keys
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT k.* FROM public.embedding_keys k
    JOIN public.organizations o ON o.id = k.organization_id
    JOIN public.members m ON m.organization_id = k.organization_id AND m.user_id = k.service_account_id
    JOIN public.users u ON u.id = k.service_account_id
  WHERE k.id = chosen_key AND o.embedding AND u.disabled_at IS NULL
    AND NOT EXISTS (
      SELECT FROM public.organization_deletions e
      WHERE e.organization_id = k.organization_id AND e.started_at IS NOT NULL);
END $$;

REVOKE EXECUTE ON FUNCTION current_embedding_key(uuid) FROM PUBLIC;
