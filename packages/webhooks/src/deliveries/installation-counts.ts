import type { Pool } from "@querybell/db";

interface DeliveryBacklog {
  /** Pending deliveries whose next attempt may start now. */
  due: number;
  /** How long the oldest of them has been due. */
  oldestDueSeconds: number;
  /** Pending deliveries that wait for the time of their next attempt. */
  waiting: number;
  held: number;
}

/** Counts the unfinished deliveries of the whole installation. */
export async function readDeliveryBacklog(pool: Pool): Promise<DeliveryBacklog> {
  const { rows } = await pool.query<DeliveryBacklog>({
    name: "read_webhook_backlog",
    text: `
      SELECT due::int, (pending - due)::int AS waiting, held::int,
        coalesce(extract(epoch FROM querybell_now() - oldest), 0)::float AS "oldestDueSeconds"
      FROM (
        SELECT count(*) AS pending, count(*) FILTER (WHERE next_attempt_at <= querybell_now()) AS due,
          min(next_attempt_at) FILTER (WHERE next_attempt_at <= querybell_now()) AS oldest
        FROM webhook_deliveries WHERE state = 'pending'
      ) p, (SELECT count(*) AS held FROM webhook_deliveries WHERE state = 'held') h`,
  });
  return rows[0] ?? { due: 0, oldestDueSeconds: 0, waiting: 0, held: 0 };
}

/** Counts the endpoints of the whole installation by state, without deleted ones. */
export async function countEndpoints(pool: Pool): Promise<Record<"enabled" | "disabled", number>> {
  const { rows } = await pool.query<Record<"enabled" | "disabled", number>>({
    name: "count_webhook_endpoints",
    text: `
      SELECT (count(*) FILTER (WHERE state = 'enabled'))::int AS enabled,
        (count(*) FILTER (WHERE state = 'disabled'))::int AS disabled
      FROM webhook_endpoints WHERE state <> 'deleted'`,
  });
  return rows[0] ?? { enabled: 0, disabled: 0 };
}
