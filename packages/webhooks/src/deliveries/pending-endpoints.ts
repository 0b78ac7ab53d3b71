import type { Pool } from "../pool.ts";

export interface PendingEndpoint {
  id: string;
  /** Enabled, in an organization whose webhooks are on. */
  isActive: boolean;
  /** Active, has a delivery due, and no pump holds it. */
  canBeAcquired: boolean;
}

/**
 * Lists every endpoint that has pending deliveries. A loose index scan: it jumps from endpoint to endpoint in the
 * index, so it takes one step for each such endpoint, however long the queues are.
 */
export async function listPendingEndpoints(pool: Pool): Promise<PendingEndpoint[]> {
  const { rows } = await pool.query<PendingEndpoint>({
    name: "list_pending_webhook_endpoints",
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
      SELECT e.id, a.is_active AS "isActive",
        a.is_active AND e.lease_owner IS NULL AND p.next_attempt_at <= querybell_now() AS "canBeAcquired"
      FROM pending p JOIN webhook_endpoints e ON e.id = p.endpoint_id
      JOIN organizations o ON o.id = e.organization_id
      CROSS JOIN LATERAL (SELECT e.state = 'enabled' AND o.webhooks_enabled AS is_active) a
      ORDER BY p.next_attempt_at`,
  });
  return rows;
}
