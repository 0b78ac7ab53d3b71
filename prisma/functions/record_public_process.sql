-- For the public process: says that it runs or, with is_stopping, that it does not any more. The role serves anybody, so it
-- writes short texts, rows of its own kind, and not many of them.
CREATE OR REPLACE FUNCTION record_public_process(
  chosen_id uuid, chosen_version text, chosen_host text, since timestamptz, is_stopping boolean
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF is_stopping THEN
    DELETE FROM public.processes WHERE id = chosen_id AND kind = 'public';
    RETURN;
  END IF;
  UPDATE public.processes SET seen_at = now() WHERE id = chosen_id AND kind = 'public';
  IF FOUND OR (SELECT count(*) FROM public.processes WHERE kind = 'public') >= 100 THEN
    RETURN;
  END IF;
  INSERT INTO public.processes (id, kind, version, host, started_at, seen_at)
  VALUES (chosen_id, 'public', left(chosen_version, 100), left(chosen_host, 100),
    greatest(least(since, now()), now() - interval '10 years'), now())
  ON CONFLICT (id) DO NOTHING;
END $$;

REVOKE EXECUTE ON FUNCTION record_public_process(uuid, text, text, timestamptz, boolean) FROM PUBLIC;
