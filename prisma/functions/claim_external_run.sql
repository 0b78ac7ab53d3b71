-- Claims a run for an external agent: one whose lease has expired, or else the one that has waited longest. Of one
-- automation if it is given, otherwise of any of the organization. The caller notifies the watchers.
CREATE OR REPLACE FUNCTION claim_external_run(
  chosen_organization uuid, chosen_automation uuid, claimer text, claimed_at timestamptz, lease_seconds int, max_attempts int
) RETURNS SETOF automation_runs LANGUAGE plpgsql AS $$
DECLARE
  chosen uuid;
BEGIN
  PERFORM set_config('querybell.notices', 'after_commit', true);
  IF chosen_automation IS NOT NULL THEN
    -- One run of an automation is ready at a time.
    SELECT id INTO chosen FROM automation_runs
    WHERE automation_id = chosen_automation AND organization_id = chosen_organization AND agent = 'external'
      AND status IN ('pending', 'running') AND ready_at IS NOT NULL
      AND (status = 'pending' OR (lease_until < now() AND lease_number < max_attempts AND deadline_at > claimed_at))
    FOR NO KEY UPDATE SKIP LOCKED;
  ELSE
    SELECT id INTO chosen FROM automation_runs
    WHERE organization_id = chosen_organization AND status = 'running' AND agent = 'external'
      AND lease_until < now() AND lease_number < max_attempts AND deadline_at > claimed_at
    ORDER BY ready_at, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
    IF chosen IS NULL THEN
      SELECT id INTO chosen FROM automation_runs
      WHERE organization_id = chosen_organization AND status = 'pending' AND ready_at IS NOT NULL AND agent = 'external'
      ORDER BY ready_at, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
    END IF;
  END IF;
  IF chosen IS NULL THEN
    RETURN;
  END IF;
  RETURN QUERY UPDATE automation_runs SET status = 'running', started_at = coalesce(started_at, claimed_at),
    deadline_at = coalesce(deadline_at, claimed_at + make_interval(secs => (brief->>'timeLimitSeconds')::int)),
    lease_holder = claimer, lease_until = now() + make_interval(secs => lease_seconds), lease_number = lease_number + 1
  WHERE id = chosen RETURNING *;
END $$;
