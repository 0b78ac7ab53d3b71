import type { Pool, Tx } from "@querybell/db";
import { RecoveryPace } from "@querybell/domain";

/**
 * The condition on a delivery `d` that a recovery `r` sends again: it is exhausted since `r.since`, and no later round
 * replaces it. A round that was cancelled or dropped replaces nothing, for the event is still undelivered.
 */
const failedSince = `
  d.state = 'exhausted' AND d.kind <> 'test' AND d.state_changed_at >= r.since AND (
    SELECT true FROM webhook_deliveries later
    WHERE later.event_id = d.event_id AND later.endpoint_id = d.endpoint_id AND later.round > d.round
      AND later.state NOT IN ('cancelled', 'dropped') LIMIT 1) IS NULL`;

interface FailedSince {
  endpointId: string;
  /** ISO 8601. */
  since: string;
}

/** How many deliveries a recovery since that time would send again. */
export async function countFailedDeliveries(tx: Tx, { endpointId, since }: FailedSince): Promise<number> {
  const [counted] = await tx.$queryRawUnsafe<{ total: number }[]>(
    `SELECT count(*)::int AS total
     FROM (SELECT $1::uuid AS endpoint_id, $2::timestamptz AS since) r
     JOIN webhook_deliveries d ON d.endpoint_id = r.endpoint_id
     WHERE ${failedSince}`,
    endpointId,
    since,
  );
  return counted?.total ?? 0;
}

/**
 * A recovery schedules deliveries up to this far ahead. Long enough that a late sweep leaves no gap in the pace; after
 * a longer outage the missed times are skipped, so there is no burst.
 */
const scheduleAheadSeconds = 5;
/** The most deliveries of one step, so that no transaction is long. */
const maxBatch = 1_000;
/** The pace of recoveries that the pump starts by itself: the default of those that people start. */
const defaultPerSecond = RecoveryPace.parse(undefined);

interface RunningRecovery {
  id: string;
  action: "resend_failed" | "deliver_held" | "drop_held";
}

/**
 * Takes one step of every running recovery and returns how many steps were taken. The progress is in the recovery's
 * row, which the step locks: any pump can take the next step, and only one at a time does.
 */
export async function advanceRecoveries(pool: Pool): Promise<number> {
  const { rows } = await pool.query<RunningRecovery>({
    name: "list_running_webhook_recoveries",
    text: startMissingAndListRunning,
  });
  let steps = 0;
  for (const { id, action } of rows) {
    const { rowCount } = await pool.query({
      name: `advance_webhook_recovery_${action}`,
      text: advance(action),
      values: [id],
    });
    steps += rowCount ?? 0;
  }
  return steps;
}

// An active endpoint can have held deliveries without a recovery: its organization's webhooks were turned on again,
// or an event was emitted while the endpoint was being enabled. A recovery at the default pace is started for them.
const startMissingAndListRunning = `
  WITH RECURSIVE held AS (
    (SELECT endpoint_id FROM webhook_deliveries WHERE state = 'held' ORDER BY endpoint_id LIMIT 1)
    UNION ALL
    SELECT d.endpoint_id FROM held h CROSS JOIN LATERAL (
      SELECT endpoint_id FROM webhook_deliveries WHERE state = 'held' AND endpoint_id > h.endpoint_id
      ORDER BY endpoint_id LIMIT 1) d
  ), started AS (
    INSERT INTO webhook_recoveries (id, organization_id, endpoint_id, action, since, per_second, total, paced_until, created_at)
    SELECT uuidv7(querybell_now() - now()), e.organization_id, e.id, 'deliver_held', e.created_at, ${defaultPerSecond},
      (SELECT count(*) FROM webhook_deliveries d WHERE d.endpoint_id = e.id AND d.state = 'held'),
      querybell_now(), querybell_now()
    FROM held JOIN webhook_endpoints e ON e.id = held.endpoint_id JOIN organizations o ON o.id = e.organization_id
    WHERE e.state = 'enabled' AND o.webhooks_enabled AND NOT EXISTS (
      SELECT FROM webhook_recoveries r
      WHERE r.endpoint_id = e.id AND r.state = 'running' AND r.action IN ('deliver_held', 'drop_held'))
    ON CONFLICT (endpoint_id, action) WHERE state = 'running' DO NOTHING
    RETURNING id, action
  )
  SELECT id, action FROM started
  UNION ALL
  SELECT r.id, r.action FROM webhook_recoveries r
  JOIN webhook_endpoints e ON e.id = r.endpoint_id JOIN organizations o ON o.id = e.organization_id
  WHERE r.state = 'running' AND e.state = 'enabled' AND o.webhooks_enabled`;

// In the SQL below, `r` is the recovery and `d` a delivery.
const selected: Record<RunningRecovery["action"], string> = {
  resend_failed: failedSince,
  deliver_held: "d.state = 'held'",
  drop_held: "d.state = 'held'",
};

/** When the n-th delivery of the batch is due, at the recovery's pace. */
const dueAt = "base + n * make_interval(secs => 1.0 / per_second)";

const nextRound = `(
      SELECT max(d.round) + 1 FROM webhook_deliveries d
      WHERE d.event_id = batch.event_id AND d.endpoint_id = batch.endpoint_id)`;

const handled: Record<RunningRecovery["action"], string> = {
  resend_failed: `
    INSERT INTO webhook_deliveries (id, event_id, endpoint_id, round, kind, state, next_attempt_at, created_at, state_changed_at, recovery_id)
    SELECT uuidv7(querybell_now() - now()), event_id, endpoint_id, ${nextRound}, 'recovery', 'pending', ${dueAt},
      querybell_now(), querybell_now(), recovery_id
    FROM batch ORDER BY n
    ON CONFLICT (event_id, endpoint_id, round) DO NOTHING RETURNING id`,
  deliver_held: `
    UPDATE webhook_deliveries d SET state = 'pending', next_attempt_at = ${dueAt}, recovery_id = batch.recovery_id,
      state_changed_at = querybell_now()
    FROM batch WHERE d.id = batch.id AND d.state = 'held' RETURNING d.id`,
  drop_held: `
    UPDATE webhook_deliveries d SET state = 'dropped', recovery_id = batch.recovery_id,
      state_changed_at = querybell_now()
    FROM batch WHERE d.id = batch.id AND d.state = 'held' RETURNING d.id`,
};

/**
 * One step: schedules the oldest deliveries that fit into the next seconds at the recovery's pace. Dropping has no
 * pace. A recovery is completed when it finds no more deliveries and the last one that it scheduled is due.
 */
const advance = (action: RunningRecovery["action"]): string => `
  WITH job AS MATERIALIZED (
    SELECT r.*, greatest(r.paced_until, querybell_now()) AS base FROM webhook_recoveries r
    WHERE r.id = $1 AND r.state = 'running' FOR UPDATE SKIP LOCKED
  ), capacity AS (
    SELECT ${action === "drop_held" ? maxBatch : `least(${maxBatch}, greatest(0, floor(per_second * extract(epoch FROM querybell_now() + interval '${scheduleAheadSeconds} s' - base))))`}::int AS size
    FROM job
  ), batch AS MATERIALIZED (
    SELECT d.id, d.event_id, d.endpoint_id, d.round, r.id AS recovery_id, r.base, r.per_second,
      row_number() OVER (ORDER BY d.id) - 1 AS n
    FROM job r CROSS JOIN LATERAL (
      SELECT * FROM webhook_deliveries d
      WHERE d.endpoint_id = r.endpoint_id AND d.created_at <= r.created_at AND (r.position IS NULL OR d.id > r.position)
        AND ${selected[action]}
      ORDER BY d.id LIMIT (SELECT size FROM capacity)) d
  ), handled AS (${handled[action]})
  UPDATE webhook_recoveries r SET
    queued = r.queued + (SELECT count(*) FROM handled),
    position = coalesce((SELECT id FROM batch ORDER BY id DESC LIMIT 1), r.position),
    paced_until = ${action === "drop_held" ? "r.paced_until" : "job.base + batch_size * make_interval(secs => 1.0 / r.per_second)"},
    state = CASE WHEN batch_size = 0 THEN 'completed' ELSE 'running' END::webhook_recovery_state,
    ended_at = CASE WHEN batch_size = 0 THEN querybell_now() END
  FROM job, (SELECT count(*) AS batch_size FROM batch) b
  WHERE r.id = job.id AND (batch_size > 0 OR r.paced_until <= querybell_now())`;
