-- Whoever claims a query run tells the watchers, so the claim sets querybell.notices for its transaction.
--
-- It was a setting of the function, as 20261116022000_query_runs_in_one_call first had it: only a superuser may add such
-- a setting, or restore a dump that has one. Replacing the function removes it from databases that have it. The rest of
-- the text is that of 20261115160000_fair_claims, which explains it.
CREATE OR REPLACE FUNCTION "claim_query_run"(
  claimer text, claimed_at timestamptz, lease_seconds int,
  excluded_organizations uuid[], organization_ceiling int, total_ceiling int, after_organization uuid
) RETURNS SETOF query_runs LANGUAGE plpgsql AS $$
DECLARE
  candidate uuid;
  chosen uuid;
  total bigint;
  full_organizations uuid[];
BEGIN
  -- One claim at a time: two that count at once could both take the last slot below a ceiling.
  PERFORM pg_advisory_xact_lock(hashtextextended('claim_query_run', 0));

  SELECT coalesce(sum(runs), 0), excluded_organizations || coalesce(array_agg(organization_id) FILTER (WHERE runs >= organization_ceiling), '{}')
  INTO total, full_organizations
  FROM (SELECT organization_id, count(*) AS runs FROM query_runs WHERE status = 'running' AND lease_until >= now() GROUP BY organization_id) live;
  IF total >= total_ceiling THEN
    RETURN;
  END IF;

  SELECT id INTO chosen FROM query_runs
  WHERE status = 'running' AND lease_until < now() AND organization_id <> ALL (full_organizations)
  ORDER BY lease_until LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;

  IF chosen IS NULL THEN
    FOR candidate IN
      WITH RECURSIVE visited AS (
        SELECT s.organization_id, s.organization_id AS first, (s.organization_id <> ALL (full_organizations))::int AS compared
        FROM (SELECT coalesce(
          (SELECT organization_id FROM query_runs WHERE status = 'pending' AND organization_id > after_organization ORDER BY organization_id LIMIT 1),
          (SELECT organization_id FROM query_runs WHERE status = 'pending' ORDER BY organization_id LIMIT 1)) AS organization_id) s
        WHERE s.organization_id IS NOT NULL
        UNION ALL
        SELECT s.organization_id, v.first, v.compared + (s.organization_id <> ALL (full_organizations))::int
        FROM visited v CROSS JOIN LATERAL (SELECT coalesce(
          (SELECT organization_id FROM query_runs WHERE status = 'pending' AND organization_id > v.organization_id ORDER BY organization_id LIMIT 1),
          (SELECT organization_id FROM query_runs WHERE status = 'pending' ORDER BY organization_id LIMIT 1)) AS organization_id) s
        WHERE s.organization_id <> v.first AND v.compared < 64
      )
      SELECT v.organization_id FROM visited v
      CROSS JOIN LATERAL (SELECT count(*) AS runs FROM query_runs r
        WHERE r.organization_id = v.organization_id AND status = 'running' AND lease_until >= now()) live
      CROSS JOIN LATERAL (SELECT r.created_at AS since FROM query_runs r
        WHERE r.organization_id = v.organization_id AND status = 'pending' ORDER BY r.created_at, r.id LIMIT 1) oldest
      WHERE v.organization_id <> ALL (full_organizations)
      ORDER BY live.runs, oldest.since, v.organization_id
    LOOP
      -- Not FOR UPDATE: a transcript that refers to the run holds a key-share lock and is no reason to skip it.
      SELECT id INTO chosen FROM query_runs WHERE organization_id = candidate AND status = 'pending'
      ORDER BY created_at, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
      EXIT WHEN chosen IS NOT NULL;
    END LOOP;
  END IF;

  PERFORM set_config('querybell.notices', 'after_commit', true);
  RETURN QUERY UPDATE query_runs SET status = 'running', started_at = coalesce(started_at, claimed_at),
    lease_until = now() + make_interval(secs => lease_seconds), lease_number = lease_number + 1, lease_worker = claimer
  WHERE id = chosen RETURNING *;
END $$;
