import type { Prisma, Tx } from "@querybell/db";

/**
 * Cancels deliveries that wait. One whose outcome a pump is writing at this moment is left to that pump:
 * waiting for it, with the endpoint locked, could be waiting in a circle.
 */
export async function cancelHeld(tx: Tx, endpointId: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE webhook_deliveries SET state = 'cancelled', state_changed_at = querybell_now() WHERE id IN (
      SELECT id FROM webhook_deliveries WHERE endpoint_id = ${endpointId}::uuid AND state = 'held'
      FOR UPDATE SKIP LOCKED)`;
}

type OfOneEvent = Pick<Prisma.WebhookDeliveryModel, "eventId" | "endpointId">;

export async function cancelWaiting(tx: Tx, { eventId, endpointId }: OfOneEvent): Promise<void> {
  await tx.$executeRaw`
    UPDATE webhook_deliveries SET state = 'cancelled', state_changed_at = querybell_now() WHERE id IN (
      SELECT id FROM webhook_deliveries
      WHERE event_id = ${eventId}::uuid AND endpoint_id = ${endpointId}::uuid AND state IN ('pending', 'held')
      FOR UPDATE SKIP LOCKED)`;
}

/** Of a recovery: those that it has queued and that were not attempted yet. */
export async function cancelQueued(tx: Tx, recoveryId: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE webhook_deliveries SET state = 'cancelled', state_changed_at = querybell_now() WHERE id IN (
      SELECT id FROM webhook_deliveries
      WHERE recovery_id = ${recoveryId}::uuid AND state IN ('pending', 'held') AND attempt_count = 0
      FOR UPDATE SKIP LOCKED)`;
}
