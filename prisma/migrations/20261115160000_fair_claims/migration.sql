-- Workers claim runs from the tables themselves, in an order that is fair between organizations.

-- What waits, by organization, oldest first.
CREATE INDEX "query_runs_waiting_idx" ON "query_runs" ("organization_id", "created_at", "id") WHERE "status" = 'pending';
CREATE INDEX "automation_runs_waiting_idx" ON "automation_runs" ("organization_id", "ready_at", "id") WHERE "status" = 'pending' AND "ready_at" IS NOT NULL AND "agent" <> 'external';
-- What runs. Without lease_until: a lease is renewed every second, and that must not write to an index.
CREATE INDEX "query_runs_running_idx" ON "query_runs" ("organization_id") WHERE "status" = 'running';
CREATE INDEX "automation_runs_running_idx" ON "automation_runs" ("organization_id") WHERE "status" = 'running' AND "agent" <> 'external';

-- Tells workers that a run waits.
CREATE FUNCTION "tell_workers"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify(TG_ARGV[0], NEW.id::text);
  RETURN NULL;
END $$;

CREATE TRIGGER "query_runs_tell_workers" AFTER INSERT ON "query_runs"
  FOR EACH ROW EXECUTE FUNCTION "tell_workers"('querybell_run_waiting');
CREATE TRIGGER "automation_runs_tell_workers" AFTER INSERT ON "automation_runs"
  FOR EACH ROW WHEN (NEW."ready_at" IS NOT NULL AND NEW."agent" <> 'external')
  EXECUTE FUNCTION "tell_workers"('querybell_automation_run_waiting');
CREATE TRIGGER "automation_runs_tell_workers_of_turn" AFTER UPDATE OF "ready_at" ON "automation_runs"
  FOR EACH ROW WHEN (OLD."ready_at" IS NULL AND NEW."ready_at" IS NOT NULL AND NEW."agent" <> 'external')
  EXECUTE FUNCTION "tell_workers"('querybell_automation_run_waiting');

-- claim_query_run and claim_automation_run, from one text: they differ in their table and in what a claim sets.
--
-- A claim takes a run whose lease has run out, or else the oldest waiting run of the organization that has the
-- fewest running; between equals, of the one whose oldest run has waited longest. It skips organizations that the
-- claimer excludes or that have reached their ceiling.
--
-- Its cost depends on neither the number of waiting runs nor that of waiting organizations: it skips from
-- organization to organization in the index, starting after the one that the claimer names, and compares the
-- first 64 that may have a run.
--
-- In plpgsql, because every statement of a function sees what was committed before it began. A single statement
-- would count with a snapshot from before it had the lock.
DO $migration$
DECLARE
  queue record;
BEGIN
  FOR queue IN
    SELECT * FROM (VALUES
      ('claim_query_run', 'query_runs', 'created_at', 'status = ''pending''', 'status = ''running''',
       'lease_worker = claimer'),
      ('claim_automation_run', 'automation_runs', 'ready_at',
       'status = ''pending'' AND ready_at IS NOT NULL AND agent <> ''external''',
       'status = ''running'' AND agent <> ''external''',
       'lease_holder = claimer, deadline_at = coalesce(deadline_at, claimed_at + make_interval(secs => (brief->>''timeLimitSeconds'')::int))')
    ) AS v (name, runs, waiting_since, is_waiting, is_running, assignments)
  LOOP
    EXECUTE format($function$
      CREATE FUNCTION %1$I(
        claimer text, claimed_at timestamptz, lease_seconds int,
        excluded_organizations uuid[], organization_ceiling int, total_ceiling int, after_organization uuid
      ) RETURNS SETOF %2$I LANGUAGE plpgsql AS $body$
      DECLARE
        candidate uuid;
        chosen uuid;
        total bigint;
        full_organizations uuid[];
      BEGIN
        -- One claim at a time: two that count at once could both take the last slot below a ceiling.
        PERFORM pg_advisory_xact_lock(hashtextextended(%1$L, 0));

        SELECT coalesce(sum(runs), 0), excluded_organizations || coalesce(array_agg(organization_id) FILTER (WHERE runs >= organization_ceiling), '{}')
        INTO total, full_organizations
        FROM (SELECT organization_id, count(*) AS runs FROM %2$I WHERE %5$s AND lease_until >= now() GROUP BY organization_id) live;
        IF total >= total_ceiling THEN
          RETURN;
        END IF;

        SELECT id INTO chosen FROM %2$I
        WHERE %5$s AND lease_until < now() AND organization_id <> ALL (full_organizations)
        ORDER BY lease_until LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;

        IF chosen IS NULL THEN
          FOR candidate IN
            WITH RECURSIVE visited AS (
              SELECT s.organization_id, s.organization_id AS first, (s.organization_id <> ALL (full_organizations))::int AS compared
              FROM (SELECT coalesce(
                (SELECT organization_id FROM %2$I WHERE %4$s AND organization_id > after_organization ORDER BY organization_id LIMIT 1),
                (SELECT organization_id FROM %2$I WHERE %4$s ORDER BY organization_id LIMIT 1)) AS organization_id) s
              WHERE s.organization_id IS NOT NULL
              UNION ALL
              SELECT s.organization_id, v.first, v.compared + (s.organization_id <> ALL (full_organizations))::int
              FROM visited v CROSS JOIN LATERAL (SELECT coalesce(
                (SELECT organization_id FROM %2$I WHERE %4$s AND organization_id > v.organization_id ORDER BY organization_id LIMIT 1),
                (SELECT organization_id FROM %2$I WHERE %4$s ORDER BY organization_id LIMIT 1)) AS organization_id) s
              WHERE s.organization_id <> v.first AND v.compared < 64
            )
            SELECT v.organization_id FROM visited v
            CROSS JOIN LATERAL (SELECT count(*) AS runs FROM %2$I r
              WHERE r.organization_id = v.organization_id AND %5$s AND lease_until >= now()) live
            CROSS JOIN LATERAL (SELECT r.%3$I AS since FROM %2$I r
              WHERE r.organization_id = v.organization_id AND %4$s ORDER BY r.%3$I, r.id LIMIT 1) oldest
            WHERE v.organization_id <> ALL (full_organizations)
            ORDER BY live.runs, oldest.since, v.organization_id
          LOOP
            -- Not FOR UPDATE: a transcript that refers to the run holds a key-share lock and is no reason to skip it.
            SELECT id INTO chosen FROM %2$I WHERE organization_id = candidate AND %4$s
            ORDER BY %3$I, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
            EXIT WHEN chosen IS NOT NULL;
          END LOOP;
        END IF;

        RETURN QUERY UPDATE %2$I SET status = 'running', started_at = coalesce(started_at, claimed_at),
          lease_until = now() + make_interval(secs => lease_seconds), lease_number = lease_number + 1, %6$s
        WHERE id = chosen RETURNING *;
      END $body$
    $function$, queue.name, queue.runs, queue.waiting_since, queue.is_waiting, queue.is_running, queue.assignments);
  END LOOP;
END $migration$;
