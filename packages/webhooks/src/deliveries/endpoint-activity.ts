import type { Pool, Tx } from "@querybell/db";
import { lowestIdAt, type WebhookDeliveryState } from "@querybell/domain";

const dayMs = 24 * 3_600_000;

// The attempts of a delivery take about 36 hours. So a delivery with an attempt in the period was created at
// most this long before the end of the period, unless its endpoint was slow for days, or the delivery was
// held and a recovery released it.
const maxDeliveryAgeMs = 3 * dayMs;

interface AttemptCounts {
  succeeded: number;
  failed: number;
}

interface EndpointActivity {
  attempts: AttemptCounts;
  /** Deliveries created in the period, by state. */
  deliveries: Record<WebhookDeliveryState, number>;
  medianMs: number | null;
  p95Ms: number | null;
  /** Attempts in each of the 24 hours, the oldest first. */
  hours: AttemptCounts[];
  lastSuccessAt: Date | null;
  /** `at` is as Postgres writes a time in JSON. */
  lastFailure: { at: string; outcome: string; sentence: string } | null;
}

interface ActivityQuery {
  organizationId: string;
  endpointId: string;
  /** The end of the 24 hours. */
  until: Date;
}

/**
 * The attempts and deliveries of an endpoint in the 24 hours before `until`. Reads only deliveries that can have had
 * an attempt or changed since then, along indexes: new ones (ids begin with the time), pending ones, and those that a
 * recovery released.
 */
export async function readEndpointActivity(pool: Pool, query: ActivityQuery): Promise<EndpointActivity> {
  const { organizationId, endpointId } = query;
  const since = new Date(query.until.getTime() - dayMs);
  const oldest = new Date(query.until.getTime() - maxDeliveryAgeMs);
  const { rows } = await pool.query<EndpointActivity>({
    name: "read_webhook_endpoint_activity",
    text: `
      WITH delivery AS MATERIALIZED (
        SELECT id, state, created_at FROM webhook_deliveries WHERE endpoint_id = $1 AND id >= $3
        UNION
        SELECT id, state, created_at FROM webhook_deliveries WHERE endpoint_id = $1 AND state = 'pending'
        UNION
        SELECT d.id, d.state, d.created_at FROM webhook_recoveries r JOIN webhook_deliveries d ON d.recovery_id = r.id
        WHERE r.organization_id = $5 AND r.endpoint_id = $1 AND (r.ended_at IS NULL OR r.ended_at >= $4)
      ), attempt AS MATERIALIZED (
        SELECT a.* FROM delivery d JOIN webhook_attempts a ON a.delivery_id = d.id WHERE a.ended_at >= $2
      )
      SELECT
        (SELECT json_build_object(
          'succeeded', count(*) FILTER (WHERE outcome = 'success'),
          'failed', count(*) FILTER (WHERE outcome <> 'success')) FROM attempt) AS attempts,
        (SELECT json_object_agg(s.state, (
          SELECT count(*) FROM delivery d WHERE d.state = s.state AND d.created_at >= $2))
         FROM unnest(enum_range(NULL::webhook_delivery_state)) AS s(state)) AS deliveries,
        (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY total_ms) FROM attempt) AS "medianMs",
        (SELECT percentile_cont(0.95) WITHIN GROUP (ORDER BY total_ms) FROM attempt) AS "p95Ms",
        (SELECT json_agg(json_build_object('succeeded', coalesce(succeeded, 0), 'failed', coalesce(failed, 0)) ORDER BY hour)
         FROM generate_series(0, 23) AS hour LEFT JOIN (
           SELECT least(23, floor(extract(epoch FROM ended_at - $2) / 3600)::int) AS hour,
             count(*) FILTER (WHERE outcome = 'success') AS succeeded,
             count(*) FILTER (WHERE outcome <> 'success') AS failed
           FROM attempt GROUP BY 1) AS counted USING (hour)) AS hours,
        (SELECT max(ended_at) FROM attempt WHERE outcome = 'success') AS "lastSuccessAt",
        (SELECT json_build_object('at', ended_at, 'outcome', outcome, 'sentence', sentence)
         FROM attempt WHERE outcome <> 'success' ORDER BY ended_at DESC, delivery_id DESC LIMIT 1) AS "lastFailure"`,
    values: [endpointId, since, lowestIdAt(oldest), oldest, organizationId],
  });
  const [activity] = rows;
  if (!activity) throw new Error("A query without FROM returned no row.");
  return activity;
}

interface UnfinishedDeliveries {
  endpointId: string;
  pending: number;
  held: number;
}

/**
 * Counts the pending and the held deliveries of each endpoint. The states are literals, so that Postgres uses the index
 * of each: with a parameter it would read all deliveries of the endpoint.
 */
export const countUnfinishedDeliveries = (tx: Tx, endpointIds: string[]): Promise<UnfinishedDeliveries[]> =>
  tx.$queryRaw<UnfinishedDeliveries[]>`
    SELECT e.id::text AS "endpointId",
      (SELECT count(*)::int FROM webhook_deliveries d WHERE d.endpoint_id = e.id AND d.state = 'pending') AS pending,
      (SELECT count(*)::int FROM webhook_deliveries d WHERE d.endpoint_id = e.id AND d.state = 'held') AS held
    FROM unnest(${endpointIds}::uuid[]) AS e(id)`;
