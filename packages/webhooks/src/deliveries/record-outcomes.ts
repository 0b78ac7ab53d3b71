import type { Pool } from "@querybell/db";
import { maxConsecutiveFailures, nextAttemptAt } from "@querybell/domain";
import { type AttemptResult, describeOutcome, outcomeClass } from "../send/outcome.ts";
import type { Recipient } from "../send/recipient.ts";
import { readRetryAfterMs } from "../send/retry-after.ts";
import type { ClaimedDelivery } from "./claim-due-deliveries.ts";

interface EndedAttempt {
  /** The order in which the attempts of this pump ended. */
  position: number;
  delivery: ClaimedDelivery;
  result: AttemptResult;
  endedAt: Date;
  recipient: Recipient;
  /** The secret that signed the attempt. */
  secretId: string;
}

/** One attempt as it is recorded in the database. */
export type OutcomeRecord = ReturnType<typeof toOutcomeRecord>;

export function toOutcomeRecord(ended: EndedAttempt, random: () => number) {
  const { position, delivery, result, endedAt, recipient, secretId } = ended;
  const { outcome, response, timings } = result;
  const number = delivery.attemptCount + 1;
  const { kind } = recipient;
  // A receiver of MCP is gone, or will never take this event; one of many recipients cannot be written to.
  const isFinal =
    outcome.kind === "refused_recipient" ||
    (kind === "mcp" && (response?.status === 410 || response?.status === 413));
  const isLast = outcome.kind === "success" || delivery.kind === "test" || isFinal;
  const retryAfterMs = readRetryAfterMs(recipient, response, endedAt);
  const next = isLast ? undefined : nextAttemptAt({ kind, number, endedAt, retryAfterMs }, random);
  /** The delivery's state after this attempt, unless it was cancelled or dropped during the attempt. */
  const state: "pending" | "succeeded" | "exhausted" =
    outcome.kind === "success" ? "succeeded" : next ? "pending" : "exhausted";
  return {
    position,
    deliveryId: delivery.id,
    endpointId: delivery.endpointId,
    /** Whether the receiver of a subscription says that it is gone. */
    isGone: kind === "mcp" && response?.status === 410,
    /** 1 for a delivery's first attempt. */
    number,
    state,
    nextAttemptAt: next,
    outcome: outcomeClass(outcome),
    sentence: describeOutcome(outcome),
    status: response?.status,
    startedAt: result.startedAt,
    endedAt,
    url: recipient.url,
    address: result.address,
    reusedConnection: result.reusedConnection,
    /** JSON of an array: name, value, name, value … */
    requestHeaders: JSON.stringify(maskHeaders(result.headers, recipient.maskedHeaders)),
    secretId,
    responseHeaders: response && JSON.stringify(response.headers),
    responseBody: response?.body,
    responseBytes: response?.bodyBytes,
    bodyEnd: response?.bodyEnd,
    dnsMs: timings.dns,
    connectMs: timings.connect,
    tlsMs: timings.tls,
    firstByteMs: timings.firstByte,
    totalMs: timings.total,
  };
}

/** Custom headers often carry credentials, so the log shows `***` in place of their values. */
function maskHeaders(headers: readonly string[], masked: ReadonlySet<string>): readonly string[] {
  if (masked.size === 0) return headers;
  return headers.map((text, index) => {
    const name = headers[index - 1];
    return index % 2 === 1 && name !== undefined && masked.has(name.toLowerCase()) ? "***" : text;
  });
}

export interface RecordResult {
  /** False if the pump's row is gone: its lease had expired, and nothing was written. */
  hasLease: boolean;
  /** Ids of the endpoints that these outcomes disabled. */
  disabledEndpointIds: string[];
}

/**
 * Records attempts, in the order in which they ended: inserts the attempts and updates the deliveries and the
 * endpoints' failure counters, in one statement and so in one transaction.
 *
 * - The pump's row is the fencing token. Expiring a pump deletes the row, which waits for the lock taken here.
 * - A delivery only moves from attempt n-1 to attempt n, so recording a batch twice changes nothing.
 * - Counting locks the endpoint's row. A streak is the failures since the last success: failures of the first
 *   streak continue the stored counter, those of later streaks start at 1. The failure that reaches the limit
 *   disables the endpoint, and outcomes after it are not counted.
 */
export async function recordOutcomes(
  pool: Pool,
  pumpId: string,
  outcomes: OutcomeRecord[],
): Promise<RecordResult> {
  const { rows } = await pool.query<{ hasLease: boolean; disabledEndpointIds: string[] | null }>({
    name: "record_webhook_outcomes",
    text: statement,
    values: [
      pumpId,
      maxConsecutiveFailures,
      ...columns.map(([name]) => outcomes.map((outcome) => outcome[name])),
    ],
  });
  const [row] = rows;
  return { hasLease: row?.hasLease ?? false, disabledEndpointIds: row?.disabledEndpointIds ?? [] };
}

// One array parameter for each column: Postgres takes three times as long to read JSON.
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

// Whether the outcome sets the delivery's state. A delivery that was cancelled or dropped during its last attempt
// stays so, unless that attempt succeeded.
const setsState = "(o.state = 'succeeded' OR d.state IN ('pending', 'held') AND o.state = 'exhausted')";

const statement = `
  WITH fence AS MATERIALIZED (
    SELECT FROM webhook_pumps WHERE id = $1 FOR KEY SHARE
  ), outcome AS MATERIALIZED (
    SELECT o.* FROM fence, unnest(${columns.map(([, type], index) => `$${index + 3}::${type}[]`).join(", ")})
      AS o(${columns.map(([name]) => `"${name}"`).join(", ")})
    -- The planner cannot know the value of this limit, so it expects few rows and finds each delivery by its id.
    -- Without it, it would read the whole table for a full batch.
    LIMIT (SELECT 1000000)
  ), moved AS (
    UPDATE webhook_deliveries d SET
      attempt_count = o.number,
      state = CASE WHEN ${setsState} THEN o.state ELSE d.state END,
      state_changed_at = CASE WHEN ${setsState} THEN o."endedAt" ELSE d.state_changed_at END,
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
  ), counting AS (
    SELECT position, endpoint_id, state_now = 'succeeded' AS succeeded FROM moved
    WHERE kind <> 'test' AND state_now = 'succeeded' OR kind = 'normal' AND state_now = 'exhausted'
      AND outcome <> 'refused_recipient'
  ), endpoint AS MATERIALIZED (
    SELECT e.id, e.organization_id, e.kind, e.url, e.description, e.created_by, e.consecutive_failures FROM webhook_endpoints e
    WHERE e.id IN (SELECT endpoint_id FROM counting) AND e.state = 'enabled'
      AND (e.consecutive_failures > 0 OR e.id IN (SELECT endpoint_id FROM counting WHERE NOT succeeded))
    ORDER BY e.id FOR NO KEY UPDATE
  ), streak AS (
    SELECT counting.*, count(*) FILTER (WHERE succeeded) OVER (PARTITION BY endpoint_id ORDER BY position) AS streak
    FROM counting
  ), counted AS (
    SELECT s.position, s.endpoint_id, s.succeeded,
      CASE WHEN s.streak = 0 THEN endpoint.consecutive_failures ELSE 0 END
        + count(*) FILTER (WHERE NOT succeeded) OVER (PARTITION BY s.endpoint_id, s.streak ORDER BY s.position)
        AS failures
    FROM streak s JOIN endpoint ON endpoint.id = s.endpoint_id
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
      jsonb_build_object('endpointId', endpoint.id, 'url', endpoint.url, 'failures', failures)
        || CASE endpoint.kind WHEN 'webhook' THEN '{}'
          ELSE jsonb_build_object('destination', endpoint.description) END,
      querybell_now()
    FROM counted
    JOIN verdict USING (endpoint_id)
    JOIN endpoint ON endpoint.id = counted.endpoint_id AND endpoint.kind <> 'mcp'
    JOIN members member ON member.organization_id = endpoint.organization_id
      -- The creator; the owners, once the creator has left.
      AND (member.user_id = endpoint.created_by OR member.role = 'owner' AND NOT EXISTS (
        SELECT FROM members m WHERE m.organization_id = endpoint.organization_id AND m.user_id = endpoint.created_by))
    WHERE NOT succeeded AND failures IN (1, 3, $2::int)
      AND (disabled_at_position IS NULL OR counted.position <= disabled_at_position)
    ORDER BY counted.position
    RETURNING user_id
  )
  SELECT EXISTS (SELECT FROM fence) AS "hasLease",
    (SELECT array_agg(id) FROM updated WHERE state = 'disabled') AS "disabledEndpointIds",
    (SELECT count(pg_notify('querybell_notifications', user_id::text)) FROM notified) AS notified`;
