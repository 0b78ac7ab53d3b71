-- Whether the caller of this connection may see a run with these values of a person: their own are the same, or it has none.
CREATE OR REPLACE FUNCTION has_own_values(run_values jsonb) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT run_values IS NULL
    OR run_values <@ coalesce(nullif(current_setting('querybell.values', true), ''), '{}')::jsonb
$$;
