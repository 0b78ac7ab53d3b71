-- Claims a run of a query for a worker: one whose lease has expired, or else the oldest waiting run of the organization
-- that has the fewest running; between equals, of the one whose oldest run has waited longest. It skips organizations
-- that the claimer excludes or that have reached their ceiling. Runs with a leader are executed with it, and count as
-- one. The caller notifies the watchers.
--
-- Its cost depends on neither the number of waiting runs nor that of waiting organizations: it skips from organization
-- to organization in the index, starting after the one that the claimer names, and compares the first 64 that may have
-- a run.
--
-- In plpgsql, because every statement of a function sees what was committed before it began. A single statement would
-- count with a snapshot from before it had the lock.
--
-- Its commit does not wait for the disk, as claims wait for each other. The WAL is in order, so a claim is as durable as
-- what its worker writes later. If Postgres dies before, the run waits again, and may be executed twice: it is completed
-- once.
--
-- claim_automation_run does the same with runs of automations, but waits for the disk: two workers that had the same lease
-- number would both write into one chat.
CREATE OR REPLACE FUNCTION claim_query_run(
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

  SELECT coalesce(sum(runs), 0),
    excluded_organizations || coalesce(array_agg(organization_id) FILTER (WHERE runs >= organization_ceiling), '{}')
  INTO total, full_organizations
  FROM (
    SELECT organization_id, count(*) AS runs FROM query_runs
    WHERE status = 'running' AND leader_id IS NULL AND lease_until >= now()
    GROUP BY organization_id
  ) live;
  IF total >= total_ceiling THEN
    RETURN;
  END IF;

  SELECT id INTO chosen FROM query_runs
  WHERE status = 'running' AND leader_id IS NULL AND lease_until < now() AND organization_id <> ALL (full_organizations)
  ORDER BY lease_until LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;

  IF chosen IS NULL THEN
    FOR candidate IN
      WITH RECURSIVE visited AS (
        SELECT next.organization_id, next.organization_id AS first,
          (next.organization_id <> ALL (full_organizations))::int AS compared
        FROM (
          SELECT coalesce(
            (SELECT organization_id FROM query_runs
             WHERE status = 'pending' AND leader_id IS NULL AND organization_id > after_organization
             ORDER BY organization_id LIMIT 1),
            (SELECT organization_id FROM query_runs
             WHERE status = 'pending' AND leader_id IS NULL
             ORDER BY organization_id LIMIT 1)
          ) AS organization_id
        ) next
        WHERE next.organization_id IS NOT NULL
        UNION ALL
        SELECT next.organization_id, v.first,
          v.compared + (next.organization_id <> ALL (full_organizations))::int
        FROM visited v CROSS JOIN LATERAL (
          SELECT coalesce(
            (SELECT organization_id FROM query_runs
             WHERE status = 'pending' AND leader_id IS NULL AND organization_id > v.organization_id
             ORDER BY organization_id LIMIT 1),
            (SELECT organization_id FROM query_runs
             WHERE status = 'pending' AND leader_id IS NULL
             ORDER BY organization_id LIMIT 1)
          ) AS organization_id
        ) next
        WHERE next.organization_id <> v.first AND v.compared < 64
      )
      SELECT v.organization_id FROM visited v
      CROSS JOIN LATERAL (
        SELECT count(*) AS runs FROM query_runs r
        WHERE r.organization_id = v.organization_id AND status = 'running' AND leader_id IS NULL AND lease_until >= now()
      ) live
      CROSS JOIN LATERAL (
        SELECT r.created_at AS since FROM query_runs r
        WHERE r.organization_id = v.organization_id AND status = 'pending' AND leader_id IS NULL
        ORDER BY r.created_at, r.id LIMIT 1
      ) oldest
      WHERE v.organization_id <> ALL (full_organizations)
      ORDER BY live.runs, oldest.since, v.organization_id
    LOOP
      -- Not FOR UPDATE: a transcript that refers to the run holds a key-share lock and is no reason to skip it.
      SELECT id INTO chosen FROM query_runs
      WHERE organization_id = candidate AND status = 'pending' AND leader_id IS NULL
      ORDER BY created_at, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
      EXIT WHEN chosen IS NOT NULL;
    END LOOP;
  END IF;

  PERFORM set_config('querybell.notices', 'after_commit', true), set_config('synchronous_commit', 'off', true);
  RETURN QUERY UPDATE query_runs SET status = 'running', started_at = coalesce(started_at, claimed_at),
    lease_until = now() + make_interval(secs => lease_seconds), lease_number = lease_number + 1, lease_worker = claimer
  WHERE id = chosen RETURNING *;
END $$;
