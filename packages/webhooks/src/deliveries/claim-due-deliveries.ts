import type { Pool } from "@querybell/db";

/**
 * A due delivery that this pump may send. Claiming does not write to its row: the lease on its endpoint keeps
 * every other pump away from it.
 */
export interface ClaimedDelivery {
  id: string;
  endpointId: string;
  /** The revision of the endpoint's settings at the moment of the claim. */
  endpointRevision: number;
  eventId: string;
  kind: "normal" | "resend" | "recovery" | "test";
  attemptCount: number;
  createdAt: Date;
  /** Null for a large body, which is read when it is sent: a pump buffers thousands of deliveries. */
  body: Uint8Array | null;
  /** The event's position in the event stream, a whole number; null if it has none. */
  position: string | null;
  /** False if the key of a subscription may not be told of the automation, as of now. */
  isAllowed: boolean;
  /** The trace in which the event was emitted; null without tracing. */
  traceContext: string | null;
}

interface DeliveryClaim {
  pumpId: string;
  /** For each endpoint: the most deliveries to claim. */
  limits: { endpointId: string; limit: number }[];
  /** Ids of deliveries that the pump has already: buffered, in flight, or with an outcome to be recorded. */
  excludedIds: string[];
}

/** Larger bodies are not claimed with their delivery. */
const maxClaimedBodyBytes = 32 * 1024;

/** Reads the deliveries of each endpoint that have been due longest, in one statement that writes nothing. */
export async function claimDueDeliveries(
  pool: Pool,
  { pumpId, limits, excludedIds }: DeliveryClaim,
): Promise<ClaimedDelivery[]> {
  const { rows } = await pool.query<ClaimedDelivery>({
    name: "claim_webhook_deliveries",
    text: `
      SELECT d.id, d.endpoint_id AS "endpointId", e.revision AS "endpointRevision", d.event_id AS "eventId", d.kind,
        d.attempt_count AS "attemptCount", d.created_at AS "createdAt",
        CASE WHEN octet_length(v.body) <= ${maxClaimedBodyBytes} THEN v.body END AS body,
        v.position, e.kind <> 'mcp' OR key_sees_automation(e.key_id, v.automation_id) AS "isAllowed",
        v.trace_context AS "traceContext"
      FROM unnest($2::uuid[], $3::int[]) AS wanted(endpoint_id, max_deliveries)
      JOIN webhook_endpoints e ON e.id = wanted.endpoint_id AND e.lease_owner = $1 AND e.state = 'enabled'
        AND (e.expires_at IS NULL OR e.expires_at > querybell_now())
      JOIN organizations o ON o.id = e.organization_id AND o.webhooks_enabled
      CROSS JOIN LATERAL (
        SELECT d.id, d.endpoint_id, d.event_id, d.kind, d.attempt_count, d.created_at FROM webhook_deliveries d
        WHERE d.endpoint_id = wanted.endpoint_id AND d.state = 'pending'
          AND d.next_attempt_at <= querybell_now() AND d.id NOT IN (SELECT unnest($4::uuid[]))
        ORDER BY d.next_attempt_at, d.id LIMIT wanted.max_deliveries
      ) d
      JOIN webhook_events v ON v.id = d.event_id`,
    values: [
      pumpId,
      limits.map(({ endpointId }) => endpointId),
      limits.map(({ limit }) => limit),
      excludedIds,
    ],
  });
  return rows;
}

/** Reads the body of an event that a claim left out. */
export async function readEventBody(pool: Pool, eventId: string): Promise<Uint8Array> {
  const { rows } = await pool.query<{ body: Uint8Array }>({
    name: "read_webhook_event_body",
    text: "SELECT body FROM webhook_events WHERE id = $1",
    values: [eventId],
  });
  if (!rows[0]) throw new Error(`The event ${eventId} is gone.`);
  return rows[0].body;
}
