-- For the public process: the page of a session for these values, which a job makes unless it is there. Called again while
-- somebody waits: then it also notices that the runs have ended, and lets a job draw them. No row: the session does not count.
-- State limited: too many pages were asked for in the last minute, by this session or in the organization.
CREATE OR REPLACE FUNCTION request_embed_page(chosen_hash bytea, chosen_values_hash bytea, chosen_values jsonb)
RETURNS TABLE (page_id uuid, state text, version uuid, failure text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  session public.embed_sessions;
  page public.embed_pages;
  moment CONSTANT timestamptz := public.querybell_now();
  max_age interval;
  has_ended boolean := false;
BEGIN
  SELECT * INTO session FROM public.current_embed_session(chosen_hash);
  IF session.key_id IS NULL THEN
    RETURN;
  END IF;
  SELECT make_interval(mins => k.cache_minutes) INTO max_age FROM public.embedding_keys k WHERE k.id = session.key_id;
  SELECT * INTO page FROM public.embed_pages p
  WHERE p.key_id = session.key_id AND p.values_hash = chosen_values_hash AND p.scope_hash = session.scope_hash;
  IF page.state = 'running' THEN
    has_ended := NOT EXISTS (
      SELECT FROM public.query_runs r WHERE r.id = ANY (page.run_ids) AND r.status IN ('pending', 'running'));
  END IF;
  IF page.id IS NOT NULL AND (CASE page.state
      WHEN 'ready' THEN page.made_at > moment - max_age
      WHEN 'failed' THEN page.made_at > moment - interval '30 seconds'
      WHEN 'running' THEN NOT has_ended
      -- The job may have failed too often.
      ELSE page.requested_at > moment - interval '5 minutes' END) THEN
    RETURN QUERY SELECT page.id, page.state::text, page.version, page.failure;
    RETURN;
  END IF;
  IF NOT has_ended AND (
    (SELECT count(*) FROM public.embed_pages p
     WHERE p.session_hash = session.token_hash AND p.requested_at > moment - interval '1 minute') >= 30
    OR (SELECT count(*) FROM public.embed_pages p
        WHERE p.organization_id = session.organization_id AND p.requested_at > moment - interval '1 minute') >= 120) THEN
    RETURN QUERY SELECT NULL::uuid, 'limited', NULL::uuid, NULL::text;
    RETURN;
  END IF;
  IF has_ended THEN
    -- Unless another request has done so meanwhile.
    UPDATE public.embed_pages p SET state = 'requested', requested_at = moment
    WHERE p.id = page.id AND p.state = 'running' RETURNING * INTO page;
  ELSE
    INSERT INTO public.embed_pages AS p (id, organization_id, key_id, scope_hash, values_hash, filter_values, session_hash,
      token, state, requested_at, run_ids)
    VALUES (gen_random_uuid(), session.organization_id, session.key_id, session.scope_hash, chosen_values_hash,
      chosen_values, session.token_hash, session.token, 'requested', moment, '{}')
    ON CONFLICT (key_id, values_hash) DO UPDATE SET state = 'requested', requested_at = moment, token = EXCLUDED.token,
      session_hash = EXCLUDED.session_hash, filter_values = EXCLUDED.filter_values, run_ids = '{}'
    WHERE p.scope_hash = EXCLUDED.scope_hash AND p.state = page.state AND p.requested_at = page.requested_at
    RETURNING * INTO page;
  END IF;
  IF page.id IS NULL THEN
    RETURN QUERY SELECT NULL::uuid, 'requested', NULL::uuid, NULL::text;
    RETURN;
  END IF;
  -- One after the other in each organization, so that one with many frames does not keep others waiting.
  PERFORM graphile_worker.add_job('make_embed_page', json_build_object('pageId', page.id), max_attempts => 3,
    queue_name => 'embed ' || page.organization_id, job_key => 'make_embed_page ' || page.id);
  RETURN QUERY SELECT page.id, page.state::text, page.version, page.failure;
END $$;

REVOKE EXECUTE ON FUNCTION request_embed_page(bytea, bytea, jsonb) FROM PUBLIC;
