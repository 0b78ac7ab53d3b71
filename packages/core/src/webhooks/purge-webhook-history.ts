import { heldDeliveryDays } from "@querybell/domain";
import type { Deps } from "../deps.ts";

const batch = 500;

interface Purged {
  heldDropped: number;
  events: number;
  secrets: number;
  recoveries: number;
  endpoints: number;
}

/**
 * Removes events with their deliveries and attempts once all of them are older than `days`, in small batches
 * so that nobody waits. Nothing unfinished goes; what is held is dropped after 30 days, and removed later.
 */
export async function purgeWebhookHistory(
  { db }: Pick<Deps, "db">,
  { days }: { days: number },
): Promise<Purged> {
  const repeat = async (text: string, ageInDays: number): Promise<number> => {
    for (let removed = 0; ; ) {
      const { rowCount } = await db.pool.query(text, [ageInDays, batch]);
      removed += rowCount ?? 0;
      if ((rowCount ?? 0) < batch) return removed;
    }
  };
  return {
    heldDropped: await repeat(dropHeld, heldDeliveryDays),
    events: await repeat(removeEvents, days),
    secrets: await repeat(removeSecrets, days),
    recoveries: await repeat(removeRecoveries, days),
    endpoints: await repeat(removeEndpoints, days),
  };
}

const old = "querybell_now() - make_interval(days => $1)";

// Also those that were being written as their endpoint was deleted: nobody will ever enable it.
const dropHeld = `
  UPDATE webhook_deliveries SET state = 'dropped', state_changed_at = querybell_now() WHERE id IN (
    SELECT d.id FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
    WHERE d.state = 'held' AND (d.state_changed_at < ${old} OR e.state = 'deleted')
    LIMIT $2 FOR UPDATE OF d SKIP LOCKED)`;

const removeEvents = `
  DELETE FROM webhook_events WHERE id IN (
    SELECT v.id FROM webhook_events v
    WHERE v.created_at < ${old} AND NOT EXISTS (
      SELECT FROM webhook_deliveries d
      WHERE d.event_id = v.id AND (d.state IN ('pending', 'held') OR d.state_changed_at >= ${old}))
    ORDER BY v.created_at LIMIT $2)`;

const removeSecrets = `
  DELETE FROM webhook_secrets WHERE id IN (SELECT id FROM webhook_secrets WHERE expires_at < ${old} LIMIT $2)`;

const removeRecoveries = `
  DELETE FROM webhook_recoveries WHERE id IN (
    SELECT id FROM webhook_recoveries WHERE state <> 'running' AND ended_at < ${old} LIMIT $2)`;

const removeEndpoints = `
  DELETE FROM webhook_endpoints WHERE id IN (
    SELECT e.id FROM webhook_endpoints e
    WHERE e.state = 'deleted' AND e.updated_at < ${old}
      AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.endpoint_id = e.id)
    LIMIT $2)`;
