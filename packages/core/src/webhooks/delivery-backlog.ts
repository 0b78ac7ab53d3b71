import type { Deps } from "../deps.ts";

export interface DeliveryBacklog {
  /** Deliveries whose time has come, and how long the oldest of them has waited. */
  due: number;
  oldestDueSeconds: number;
  waiting: number;
  held: number;
}

export async function readDeliveryBacklog({ db }: Pick<Deps, "db">): Promise<DeliveryBacklog> {
  const { rows } = await db.pool.query<DeliveryBacklog>({
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
