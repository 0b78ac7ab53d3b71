import { type Caller, lowestIdAt, WebhookEndpointHealth, type WebhookEndpointId } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { getEndpoint } from "./find-endpoint.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

// A delivery's attempts take about 36 hours. One of which the last attempt was today is at most this old, unless
// it had to wait for a slow endpoint, or was held and released by a recovery.
const attemptsTakeMs = 3 * dayMs;

/**
 * How an endpoint did in the last day. Reads what may have been attempted or have changed since, along indexes:
 * the newest by their ids, which begin with the time; whatever is pending; and what recoveries have released.
 */
export async function readEndpointHealth(
  deps: Deps,
  caller: Caller,
  { id }: WebhookEndpointId,
): Promise<WebhookEndpointHealth> {
  await getEndpoint(deps, caller, { id });
  const now = deps.clock.now().getTime();
  const since = new Date(now - dayMs).toISOString();
  const recent = new Date(now - attemptsTakeMs);
  const { rows } = await deps.db.pool.query({
    name: "read_webhook_endpoint_health",
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
    values: [id, since, lowestIdAt(recent), recent, caller.organizationId],
  });
  const [row] = rows;
  return WebhookEndpointHealth.parse({
    ...row,
    since,
    hours: row.hours.map((counts: object, hour: number) => ({
      from: new Date(now - dayMs + hour * hourMs).toISOString(),
      ...counts,
    })),
    lastSuccessAt: row.lastSuccessAt?.toISOString() ?? null,
    lastFailure: row.lastFailure && { ...row.lastFailure, at: new Date(row.lastFailure.at).toISOString() },
  });
}
