import type { Pool } from "./pool.ts";

export interface PendingEndpoint {
  id: string;
  /** Has something due, is active, and nobody holds it. */
  unattended: boolean;
  active: boolean;
}

/**
 * Every endpoint with something pending, found by skipping from endpoint to endpoint in the index: as many
 * steps as there are such endpoints, however long their queues are.
 */
export async function findPendingEndpoints(pool: Pool): Promise<PendingEndpoint[]> {
  const { rows } = await pool.query<PendingEndpoint>({
    name: "find_pending_webhook_endpoints",
    text: `
      WITH RECURSIVE pending AS (
        (SELECT endpoint_id, next_attempt_at FROM webhook_deliveries WHERE state = 'pending'
         ORDER BY endpoint_id, next_attempt_at LIMIT 1)
        UNION ALL
        SELECT d.endpoint_id, d.next_attempt_at FROM pending p CROSS JOIN LATERAL (
          SELECT endpoint_id, next_attempt_at FROM webhook_deliveries
          WHERE state = 'pending' AND endpoint_id > p.endpoint_id
          ORDER BY endpoint_id, next_attempt_at LIMIT 1) d
      )
      SELECT e.id, a.active,
        a.active AND e.lease_owner IS NULL AND p.next_attempt_at <= querybell_now() AS unattended
      FROM pending p JOIN webhook_endpoints e ON e.id = p.endpoint_id
      JOIN organizations o ON o.id = e.organization_id
      CROSS JOIN LATERAL (SELECT e.state = 'enabled' AND o.webhooks_enabled AS active) a
      ORDER BY p.next_attempt_at`,
  });
  return rows;
}

export const settleBatch = 1_000;

/**
 * Holds what is pending at endpoints that are not active (tests are cancelled, and so is everything of a
 * deleted endpoint), a batch at a time. Rows that somebody is writing are left for the next time, so that
 * this never waits for a pump and no pump ever waits for this in a circle.
 */
export const settleInactive = `
  UPDATE webhook_deliveries d SET
    state = CASE WHEN e.state = 'deleted' OR d.kind = 'test' THEN 'cancelled' ELSE 'held' END::webhook_delivery_state,
    state_changed_at = querybell_now()
  FROM webhook_endpoints e
  WHERE e.id = d.endpoint_id AND d.id IN (
    SELECT d.id FROM webhook_deliveries d
    JOIN webhook_endpoints e ON e.id = d.endpoint_id JOIN organizations o ON o.id = e.organization_id
    WHERE d.endpoint_id = ANY($1::uuid[]) AND d.state = 'pending'
      AND NOT (e.state = 'enabled' AND o.webhooks_enabled)
    ORDER BY d.id LIMIT ${settleBatch} FOR UPDATE OF d SKIP LOCKED)`;

export async function settleInactiveEndpoints(pool: Pool, endpointIds: string[]): Promise<number> {
  const { rowCount } = await pool.query({
    name: "settle_inactive_webhook_endpoints",
    text: settleInactive,
    values: [endpointIds],
  });
  return rowCount ?? 0;
}
