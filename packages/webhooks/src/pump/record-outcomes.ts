import { arrayLiteral } from "@querybell/db";
import { maxConsecutiveFailures } from "@querybell/domain";
import type { OutcomeRecord } from "./outcome-record.ts";
import type { Pool } from "./pool.ts";

export interface Recorded {
  /** False when the pump had lost its lease: then nothing at all was written. */
  alive: boolean;
  /** Endpoints that these outcomes disabled. */
  disabled: string[];
}

/**
 * Writes down how attempts ended, in the order in which they did: attempts, deliveries, and the endpoints'
 * counters, in one statement and so in one transaction.
 *
 * - The pump's own row is the fence. Whoever buries a pump deletes the row, and waits for this lock.
 * - A delivery is moved from attempt n-1 to n only, so writing the same batch again changes nothing.
 * - Counting locks the endpoint's row. A success starts a new run of failures; the failures of a run are
 *   numbered from the stored count on (first run) or from 1. The first to reach the limit disables the
 *   endpoint, and what ended after it no longer counts.
 */
export async function recordOutcomes(
  pool: Pool,
  pumpId: string,
  outcomes: OutcomeRecord[],
): Promise<Recorded> {
  const { rows } = await pool.query<{ alive: boolean; disabled: string[] | null }>({
    name: "record_webhook_outcomes",
    text: statement,
    values: [
      pumpId,
      maxConsecutiveFailures,
      ...columns.map(([name]) => arrayLiteral(outcomes.map((outcome) => outcome[name]))),
    ],
  });
  const [recorded] = rows;
  return { alive: recorded?.alive ?? false, disabled: recorded?.disabled ?? [] };
}

// One array for each column: JSON takes Postgres three times as long to read.
const columns = [
  ["position", "bigint"],
  ["deliveryId", "uuid"],
  ["number", "smallint"],
  ["state", "webhook_delivery_state"],
  ["nextAttemptAt", "timestamptz"],
  ["outcome", "text"],
  ["sentence", "text"],
  ["status", "smallint"],
  ["startedAt", "timestamptz"],
  ["endedAt", "timestamptz"],
  ["url", "text"],
  ["address", "text"],
  ["reusedConnection", "boolean"],
  ["requestHeaders", "text"],
  ["secretId", "uuid"],
  ["responseHeaders", "text"],
  ["responseBody", "bytea"],
  ["responseBytes", "int"],
  ["bodyEnd", "text"],
  ["dnsMs", "real"],
  ["connectMs", "real"],
  ["tlsMs", "real"],
  ["firstByteMs", "real"],
  ["totalMs", "real"],
] as const satisfies [keyof OutcomeRecord, string][];

// Whoever cancelled or dropped a delivery during its last attempt has decided, unless it has arrived after all.
const settled = "(o.state = 'succeeded' OR d.state IN ('pending', 'held') AND o.state = 'exhausted')";

const statement = `
  WITH fence AS MATERIALIZED (
    SELECT FROM webhook_pumps WHERE id = $1 FOR KEY SHARE
  ), outcome AS MATERIALIZED (
    SELECT o.* FROM fence, unnest(${columns.map(([, type], index) => `$${index + 3}::${type}[]`).join(", ")})
      AS o(${columns.map(([name]) => `"${name}"`).join(", ")})
    -- A limit that the planner cannot see has it expect few rows, and so look each delivery up by its id.
    -- For a full batch it would read the whole table.
    LIMIT (SELECT 1000000)
  ), moved AS (
    UPDATE webhook_deliveries d SET
      attempt_count = o.number,
      state = CASE WHEN ${settled} THEN o.state ELSE d.state END,
      state_changed_at = CASE WHEN ${settled} THEN o."endedAt" ELSE d.state_changed_at END,
      next_attempt_at = coalesce(o."nextAttemptAt", d.next_attempt_at)
    FROM outcome o WHERE d.id = o."deliveryId" AND d.attempt_count = o.number - 1
    RETURNING d.endpoint_id, d.kind, d.state AS state_now, o.*
  ), attempted AS (
    INSERT INTO webhook_attempts (delivery_id, number, outcome, sentence, status, started_at, ended_at, url, address,
      reused_connection, request_headers, secret_id, response_headers, response_body, response_bytes, body_end,
      dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms)
    SELECT "deliveryId", number, outcome, sentence, status, "startedAt", "endedAt", url, address,
      "reusedConnection", "requestHeaders"::json, "secretId", "responseHeaders"::json, "responseBody",
      "responseBytes", "bodyEnd", "dnsMs", "connectMs", "tlsMs", "firstByteMs", "totalMs"
    FROM moved
  ), told AS (
    SELECT position, endpoint_id, state_now = 'succeeded' AS succeeded FROM moved
    WHERE kind <> 'test' AND state_now = 'succeeded' OR kind = 'normal' AND state_now = 'exhausted'
  ), endpoint AS MATERIALIZED (
    SELECT e.id, e.organization_id, e.url, e.created_by, e.consecutive_failures FROM webhook_endpoints e
    WHERE e.id IN (SELECT endpoint_id FROM told) AND e.state = 'enabled'
      AND (e.consecutive_failures > 0 OR e.id IN (SELECT endpoint_id FROM told WHERE NOT succeeded))
    ORDER BY e.id FOR NO KEY UPDATE
  ), run AS (
    SELECT told.*, count(*) FILTER (WHERE succeeded) OVER (PARTITION BY endpoint_id ORDER BY position) AS run
    FROM told
  ), counted AS (
    SELECT run.position, run.endpoint_id, run.succeeded,
      CASE WHEN run.run = 0 THEN endpoint.consecutive_failures ELSE 0 END
        + count(*) FILTER (WHERE NOT succeeded) OVER (PARTITION BY run.endpoint_id, run.run ORDER BY run.position)
        AS failures
    FROM run JOIN endpoint ON endpoint.id = run.endpoint_id
  ), verdict AS (
    SELECT endpoint_id, min(position) FILTER (WHERE failures >= $2::int) AS disabled_at_position,
      (array_agg(failures ORDER BY position DESC))[1] AS last_count
    FROM counted GROUP BY endpoint_id
  ), updated AS (
    UPDATE webhook_endpoints e SET
      consecutive_failures = CASE WHEN disabled_at_position IS NULL THEN last_count ELSE $2::int END,
      state = CASE WHEN disabled_at_position IS NULL THEN 'enabled' ELSE 'disabled' END::webhook_endpoint_state,
      disabled_reason = CASE WHEN disabled_at_position IS NOT NULL THEN 'failures' END::webhook_disabled_reason,
      disabled_at = CASE WHEN disabled_at_position IS NOT NULL THEN querybell_now() END
    FROM verdict WHERE e.id = verdict.endpoint_id
    RETURNING e.id, e.state
  ), notified AS (
    INSERT INTO notifications (id, user_id, organization_id, kind, detail, created_at)
    SELECT uuidv7(querybell_now() - now()), member.user_id, endpoint.organization_id,
      CASE WHEN failures = $2::int THEN 'webhook_endpoint_disabled' ELSE 'webhook_endpoint_failing' END,
      jsonb_build_object('endpointId', endpoint.id, 'url', endpoint.url, 'failures', failures), querybell_now()
    FROM counted
    JOIN verdict USING (endpoint_id)
    JOIN endpoint ON endpoint.id = counted.endpoint_id
    JOIN members member ON member.organization_id = endpoint.organization_id
      -- The creator; the owners, once the creator has left.
      AND (member.user_id = endpoint.created_by OR member.role = 'owner' AND NOT EXISTS (
        SELECT FROM members m WHERE m.organization_id = endpoint.organization_id AND m.user_id = endpoint.created_by))
    WHERE NOT succeeded AND failures IN (1, 3, $2::int)
      AND (disabled_at_position IS NULL OR counted.position <= disabled_at_position)
    ORDER BY counted.position
    RETURNING user_id
  )
  SELECT EXISTS (SELECT FROM fence) AS alive,
    (SELECT array_agg(id) FROM updated WHERE state = 'disabled') AS disabled,
    (SELECT count(pg_notify('querybell_notifications', user_id::text)) FROM notified) AS told`;
