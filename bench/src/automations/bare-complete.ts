import pg from "pg";
import { readEmitterSettings } from "../webhooks/env.ts";

/** As many connections as the product has in a process. */
export function openBarePool(): pg.Pool {
  const { DATABASE_URL, DATABASE_POOL_SIZE } = readEmitterSettings();
  return new pg.Pool({
    connectionString: DATABASE_URL,
    max: DATABASE_POOL_SIZE,
    // Without the notices of the table's trigger, which make commits wait for each other.
    options: "-c querybell.notices=after_commit",
  });
}

/** Writes the rows that the end of a run writes, in one statement: without locks, limits, checks or notices. */
export const bareComplete = (runId: string, summary: string) => ({
  name: "complete",
  text: `
    WITH run AS (
      UPDATE automation_runs SET status = 'completed', summary = $2, completed_at = now(), revision = revision + 1
      WHERE id = $1 RETURNING *
    ), step AS (
      INSERT INTO automation_steps (id, organization_id, run_id, name, position, revision, kind, state, text, created_at, ended_at)
      SELECT uuidv7(), organization_id, id, 'summary', revision, revision, 'message', 'completed', summary, now(), now() FROM run
    ), event AS (
      INSERT INTO webhook_events (id, organization_id, type, body, dedupe_key, created_at)
      SELECT uuidv7(), organization_id, 'automation.run.completed', convert_to(json_build_object('id', id, 'summary', summary)::text, 'UTF8'),
        'automation_run:' || id, now() FROM run RETURNING *
    ), delivery AS (
      INSERT INTO webhook_deliveries (id, event_id, endpoint_id, state, next_attempt_at, created_at, state_changed_at)
      SELECT uuidv7(), event.id, e.id, 'pending', now(), now(), now()
      FROM event JOIN webhook_endpoints e ON e.organization_id = event.organization_id
    ), next AS (
      UPDATE automation_runs SET ready_at = now() WHERE id = (
        SELECT r.id FROM automation_runs r, run WHERE r.automation_id = run.automation_id AND r.status = 'pending' AND r.ready_at IS NULL
        ORDER BY r.created_at, r.id LIMIT 1)
    )
    SELECT * FROM run`,
  values: [runId, summary],
});
