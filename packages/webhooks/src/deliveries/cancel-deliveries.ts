// SKIP LOCKED: a pump that records an outcome locks the delivery first and the endpoint second. The callers here
// have locked the endpoint, so waiting for a locked delivery could deadlock. That pump decides about it.
import type { Prisma, Tx } from "@querybell/db";

/** Cancels the held deliveries of an endpoint. */
export async function cancelHeldDeliveries(tx: Tx, endpointId: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE webhook_deliveries SET state = 'cancelled', state_changed_at = querybell_now() WHERE id IN (
      SELECT id FROM webhook_deliveries WHERE endpoint_id = ${endpointId}::uuid AND state = 'held'
      FOR UPDATE SKIP LOCKED)`;
}

type EventAtEndpoint = Pick<Prisma.WebhookDeliveryModel, "eventId" | "endpointId">;

/** Cancels the unfinished deliveries of one event to one endpoint. */
export async function cancelEventDeliveries(tx: Tx, { eventId, endpointId }: EventAtEndpoint): Promise<void> {
  await tx.$executeRaw`
    UPDATE webhook_deliveries SET state = 'cancelled', state_changed_at = querybell_now() WHERE id IN (
      SELECT id FROM webhook_deliveries
      WHERE event_id = ${eventId}::uuid AND endpoint_id = ${endpointId}::uuid AND state IN ('pending', 'held')
      FOR UPDATE SKIP LOCKED)`;
}

/** Cancels the deliveries that a recovery has queued and that have had no attempt yet. */
export async function cancelRecoveryDeliveries(tx: Tx, recoveryId: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE webhook_deliveries SET state = 'cancelled', state_changed_at = querybell_now() WHERE id IN (
      SELECT id FROM webhook_deliveries
      WHERE recovery_id = ${recoveryId}::uuid AND state IN ('pending', 'held') AND attempt_count = 0
      FOR UPDATE SKIP LOCKED)`;
}
