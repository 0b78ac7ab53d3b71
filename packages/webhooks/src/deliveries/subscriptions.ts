import type { Pool } from "@querybell/db";

/** The most that one sweep ends, so that no transaction is long. */
const batchSize = 100;

/** Ends the subscriptions whose time is up. Returns how many. */
export const endExpiredSubscriptions = (pool: Pool): Promise<number> =>
  end(pool, {
    name: "end_expired_subscriptions",
    text: `
      SELECT end_event_subscriptions(ARRAY(
        SELECT id FROM webhook_endpoints
        WHERE expires_at IS NOT NULL AND state <> 'deleted' AND expires_at <= querybell_now()
        ORDER BY expires_at LIMIT ${batchSize}), 'expired', NULL, NULL) AS ended`,
  });

/** Ends the subscriptions whose receivers say that they are gone. Endpoints of admins are not changed. */
export const endGoneSubscriptions = (pool: Pool, endpointIds: string[]): Promise<number> =>
  end(pool, {
    name: "end_gone_subscriptions",
    text: "SELECT end_event_subscriptions($1::uuid[], 'gone', NULL, NULL) AS ended",
    values: [endpointIds],
  });

async function end(
  pool: Pool,
  statement: { name: string; text: string; values?: unknown[] },
): Promise<number> {
  const { rows } = await pool.query<{ ended: number }>(statement);
  return rows[0]?.ended ?? 0;
}

/** Cancels claimed deliveries whose subscription may not be told of their automation any more. */
export async function cancelForbiddenDeliveries(
  pool: Pool,
  pumpId: string,
  deliveryIds: string[],
): Promise<void> {
  await pool.query({
    name: "cancel_forbidden_deliveries",
    text: `
      UPDATE webhook_deliveries SET state = 'cancelled', state_changed_at = querybell_now()
      WHERE id = ANY($2::uuid[]) AND state = 'pending' AND EXISTS (SELECT FROM webhook_pumps WHERE id = $1)`,
    values: [pumpId, deliveryIds],
  });
}
