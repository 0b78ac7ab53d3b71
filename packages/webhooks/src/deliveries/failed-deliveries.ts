import type { Tx } from "@querybell/db";

/**
 * The condition on a delivery `d` that a recovery `r` sends again: it is exhausted since `r.since`, and no later round
 * replaces it. A round that was cancelled or dropped replaces nothing, for the event is still undelivered.
 */
export const failedSince = `
  d.state = 'exhausted' AND d.kind <> 'test' AND d.state_changed_at >= r.since AND (
    SELECT true FROM webhook_deliveries later
    WHERE later.event_id = d.event_id AND later.endpoint_id = d.endpoint_id AND later.round > d.round
      AND later.state NOT IN ('cancelled', 'dropped') LIMIT 1) IS NULL`;

interface FailedSince {
  endpointId: string;
  /** ISO 8601. */
  since: string;
}

/** How many deliveries a recovery since that time would send again. */
export async function countFailedDeliveries(tx: Tx, { endpointId, since }: FailedSince): Promise<number> {
  const [counted] = await tx.$queryRawUnsafe<{ total: number }[]>(
    `SELECT count(*)::int AS total
     FROM (SELECT $1::uuid AS endpoint_id, $2::timestamptz AS since) r
     JOIN webhook_deliveries d ON d.endpoint_id = r.endpoint_id
     WHERE ${failedSince}`,
    endpointId,
    since,
  );
  return counted?.total ?? 0;
}
