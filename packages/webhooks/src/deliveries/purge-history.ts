import { deleteOldRows, inBatches, type Pool } from "@querybell/db";
import { heldDeliveryDays } from "@querybell/domain";
import { dropAttemptPartitions, neededDelivery } from "./attempt-partitions.ts";

/** Small, so that no lock is held for long. */
const batchSize = 500;

interface Purged {
  heldDropped: number;
  attemptPartitions: number;
  events: number;
  secrets: number;
  recoveries: number;
  endpoints: number;
}

/**
 * Deletes events, with their deliveries and attempts, when all of these are older than `days` and so is the whole
 * partition of the attempts. Unfinished deliveries are never deleted; held ones are dropped after 30 days, and deleted
 * `days` after that.
 */
export async function purgeWebhookHistory(pool: Pool, { days }: { days: number }): Promise<Purged> {
  const purge = (statement: string, olderThanDays: number) =>
    inBatches(pool, statement, { days: olderThanDays, batchSize });
  const heldDropped = await purge(dropHeld, heldDeliveryDays);
  const before = await readCutoff(pool, days);
  const { dropped, eventsBefore } = await dropAttemptPartitions(pool, { before, days });
  return {
    heldDropped,
    attemptPartitions: dropped,
    events: await deleteOldEvents(pool, before, eventsBefore),
    secrets: await purge(deleteSecrets, days),
    recoveries: await deleteOldRows(pool, { ...oldRecoveries, before }),
    endpoints: await purge(deleteEndpoints, days),
  };
}

const cutoff = "querybell_now() - make_interval(days => $1)";

// A delivery of a deleted endpoint can be held if it was emitted while the endpoint was being deleted. It is dropped
// at once: the endpoint can never be enabled again.
const dropHeld = `
  UPDATE webhook_deliveries SET state = 'dropped', state_changed_at = querybell_now() WHERE id IN (
    SELECT d.id FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
    WHERE d.state = 'held' AND (d.state_changed_at < ${cutoff} OR e.state = 'deleted')
    LIMIT $2 FOR UPDATE OF d SKIP LOCKED)`;

const oldEvents = {
  table: "webhook_events",
  condition: `r.created_at < $3 AND ${neededDelivery("r.id", "$3")} IS NULL`,
  batchSize,
};

async function deleteOldEvents(pool: Pool, before: Date, createdBefore: Date): Promise<number> {
  const client = await pool.connect();
  try {
    // For each deleted delivery, the foreign key of attempts looks for its attempts. A generic plan selects
    // the partition when it is executed; making a plan for each delivery takes four times as long.
    await client.query("SET plan_cache_mode = force_generic_plan");
    // Deleting an event deletes its deliveries. In this mode Postgres refuses to delete those that it did not see when
    // the batch began: an event that is resent meanwhile is kept.
    await client.query("SET default_transaction_isolation = 'repeatable read'");
    return await deleteOldRows(client, { ...oldEvents, before, createdBefore });
  } finally {
    // The session has other settings than the pool's.
    client.release(true);
  }
}

async function readCutoff(pool: Pool, days: number): Promise<Date> {
  const { rows } = await pool.query<{ before: Date }>(`SELECT ${cutoff} AS before`, [days]);
  if (!rows[0]) throw new Error("A query without FROM returned no row.");
  return rows[0].before;
}

const deleteSecrets = `
  DELETE FROM webhook_secrets WHERE id IN (SELECT id FROM webhook_secrets WHERE expires_at < ${cutoff} LIMIT $2)`;

const oldRecoveries = {
  table: "webhook_recoveries",
  condition: "r.state <> 'running' AND r.ended_at < $3",
  batchSize,
};

const deleteEndpoints = `
  DELETE FROM webhook_endpoints WHERE id IN (
    SELECT e.id FROM webhook_endpoints e
    WHERE e.state = 'deleted' AND e.updated_at < ${cutoff}
      AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.endpoint_id = e.id)
    LIMIT $2)`;
