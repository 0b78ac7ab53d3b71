import { type Pool, Prisma, type Tx } from "@querybell/db";

/** Small enough that no transaction is long, large enough that most queues need one batch. */
const batchSize = 1_000;

// SKIP LOCKED: a delivery that a pump is recording is left for the next batch, so this never deadlocks with a pump.
const holdBatch = `
  UPDATE webhook_deliveries d SET
    state = CASE WHEN e.state = 'deleted' OR d.kind = 'test' THEN 'cancelled' ELSE 'held' END::webhook_delivery_state,
    state_changed_at = querybell_now()
  FROM webhook_endpoints e
  WHERE e.id = d.endpoint_id AND d.id IN (
    SELECT d.id FROM webhook_deliveries d
    JOIN webhook_endpoints e ON e.id = d.endpoint_id JOIN organizations o ON o.id = e.organization_id
    WHERE d.endpoint_id = ANY($1::uuid[]) AND d.state = 'pending'
      AND NOT (e.state = 'enabled' AND o.webhooks_enabled)
    ORDER BY d.id LIMIT ${batchSize} FOR UPDATE OF d SKIP LOCKED)`;

/**
 * Holds one batch of pending deliveries of an endpoint that is not active, in the caller's transaction. Cancels
 * instead of holding: tests, and everything of a deleted endpoint. Returns how many deliveries changed.
 */
export const holdPendingDeliveries = (tx: Tx, endpointId: string): Promise<number> =>
  tx.$executeRawUnsafe(holdBatch, [endpointId]);

/** The same for several endpoints, batch by batch until none is left. Each batch is one transaction. */
export async function holdAllPendingDeliveries(pool: Pool, endpointIds: string[]): Promise<number> {
  let total = 0;
  for (let held = batchSize; held === batchSize; total += held) {
    const { rowCount } = await pool.query({
      name: "hold_pending_webhook_deliveries",
      text: holdBatch,
      values: [endpointIds],
    });
    held = rowCount ?? 0;
  }
  return total;
}

/**
 * SKIP LOCKED: a pump that records an outcome locks the delivery first and the endpoint second. The callers here have
 * locked the endpoint, so waiting for a locked delivery could deadlock. That pump decides about it.
 */
async function cancelWhere(tx: Tx, condition: Prisma.Sql): Promise<void> {
  await tx.$executeRaw`
    UPDATE webhook_deliveries SET state = 'cancelled', state_changed_at = querybell_now() WHERE id IN (
      SELECT id FROM webhook_deliveries WHERE ${condition} FOR UPDATE SKIP LOCKED)`;
}

/** Cancels the held deliveries of an endpoint. */
export const cancelHeldDeliveries = (tx: Tx, endpointId: string): Promise<void> =>
  cancelWhere(tx, Prisma.sql`endpoint_id = ${endpointId}::uuid AND state = 'held'`);

type EventAtEndpoint = Pick<Prisma.WebhookDeliveryModel, "eventId" | "endpointId">;

/** Cancels the unfinished deliveries of one event to one endpoint. */
export const cancelEventDeliveries = (tx: Tx, { eventId, endpointId }: EventAtEndpoint): Promise<void> =>
  cancelWhere(
    tx,
    Prisma.sql`event_id = ${eventId}::uuid AND endpoint_id = ${endpointId}::uuid AND state IN ('pending', 'held')`,
  );

/** Cancels the deliveries that a recovery has queued and that have had no attempt yet. */
export const cancelRecoveryDeliveries = (tx: Tx, recoveryId: string): Promise<void> =>
  cancelWhere(
    tx,
    Prisma.sql`recovery_id = ${recoveryId}::uuid AND state IN ('pending', 'held') AND attempt_count = 0`,
  );
