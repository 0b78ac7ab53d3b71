import { type Caller, WebhookEndpointHealth, type WebhookEndpointId } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { getEndpoint } from "./find-endpoint.ts";

const dayMs = 86_400_000;

/** How an endpoint did in the last day. */
export async function readEndpointHealth(
  deps: Deps,
  caller: Caller,
  { id }: WebhookEndpointId,
): Promise<WebhookEndpointHealth> {
  await getEndpoint(deps, caller, { id });
  const since = new Date(deps.clock.now().getTime() - dayMs).toISOString();
  const { rows } = await deps.db.pool.query({
    name: "read_webhook_endpoint_health",
    text: `
      WITH delivery AS MATERIALIZED (
        SELECT id, state, created_at FROM webhook_deliveries
        WHERE endpoint_id = $1 AND (created_at >= $2 OR state_changed_at >= $2)
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
        (SELECT max(ended_at) FROM attempt WHERE outcome = 'success') AS "lastSuccessAt",
        (SELECT json_build_object('at', ended_at, 'outcome', outcome, 'sentence', sentence)
         FROM attempt WHERE outcome <> 'success' ORDER BY ended_at DESC, delivery_id DESC LIMIT 1) AS "lastFailure"`,
    values: [id, since],
  });
  const [row] = rows;
  return WebhookEndpointHealth.parse({
    ...row,
    since,
    lastSuccessAt: row.lastSuccessAt?.toISOString() ?? null,
    lastFailure: row.lastFailure && { ...row.lastFailure, at: new Date(row.lastFailure.at).toISOString() },
  });
}
