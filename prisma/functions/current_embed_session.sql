-- The session of a frame with this hash of its token, if it may be shown now. The public role has no right to call it.
CREATE OR REPLACE FUNCTION current_embed_session(chosen_hash bytea) RETURNS SETOF embed_sessions
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT s.* FROM public.embed_sessions s
  WHERE s.token_hash = chosen_hash AND s.expires_at > public.querybell_now()
    AND EXISTS (SELECT FROM public.current_embedding_key(s.key_id));
END $$;

REVOKE EXECUTE ON FUNCTION current_embed_session(bytea) FROM PUBLIC;
