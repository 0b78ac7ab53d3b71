-- For the public process: exchanges a verified token for an address, which is stored as a hash. outcome: opened; limited, when
-- too many were opened with this key in the last minute; refused, when the key does not count any more, or is another one than
-- that which verified the token. Whoever makes a page verifies the token again, so a session with another one shows nothing.
CREATE OR REPLACE FUNCTION open_embed_session(
  chosen_key uuid, verified_by text, new_hash bytea, new_scope bytea, new_token text, new_expiry timestamptz
) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  key public.embedding_keys;
  moment CONSTANT timestamptz := public.querybell_now();
BEGIN
  -- Waits for whoever replaces the key: they delete the sessions of the one before.
  PERFORM FROM public.embedding_keys k WHERE k.id = chosen_key FOR NO KEY UPDATE;
  SELECT * INTO key FROM public.current_embedding_key(chosen_key);
  IF key.id IS NULL OR key.public_key IS DISTINCT FROM verified_by OR new_expiry > moment + interval '1 day 1 minute' THEN
    RETURN 'refused';
  END IF;
  IF (SELECT count(*) FROM public.embed_sessions s
      WHERE s.key_id = key.id AND s.created_at > moment - interval '1 minute') >= 1000 THEN
    RETURN 'limited';
  END IF;
  INSERT INTO public.embed_sessions (token_hash, organization_id, key_id, scope_hash, token, created_at, expires_at)
  VALUES (new_hash, key.organization_id, key.id, new_scope, new_token, moment, new_expiry);
  UPDATE public.embedding_keys k SET last_used_at = moment
  WHERE k.id = key.id AND (k.last_used_at IS NULL OR k.last_used_at < moment - interval '1 minute');
  RETURN 'opened';
END $$;

REVOKE EXECUTE ON FUNCTION open_embed_session(uuid, text, bytea, bytea, text, timestamptz) FROM PUBLIC;
