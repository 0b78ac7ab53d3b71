import type { Pool } from "./pool.ts";

/** A due delivery, read and not marked: the lease on its endpoint is what makes it this pump's. */
export interface ClaimedDelivery {
  id: string;
  endpointId: string;
  /** Of the endpoint's settings, at the moment of the claim. */
  endpointRevision: number;
  eventId: string;
  kind: "normal" | "resend" | "recovery" | "test";
  attemptCount: number;
  createdAt: Date;
  body: Uint8Array;
}

interface Claim {
  pumpId: string;
  /** `known` is already here: buffered, in flight, or ended and not yet written down. */
  endpoints: { id: string; known: Iterable<string> }[];
  /** At most so many for each endpoint. */
  room: number;
}

/** The oldest due deliveries of each endpoint, in one statement that writes nothing. */
export async function claimDue(pool: Pool, { pumpId, endpoints, room }: Claim): Promise<ClaimedDelivery[]> {
  const { rows } = await pool.query<ClaimedDelivery>({
    name: "claim_webhook_deliveries",
    text: `
      WITH wanted AS MATERIALIZED (
        SELECT endpoint_id, known::uuid[] AS known FROM unnest($2::uuid[], $3::text[]) AS w(endpoint_id, known)
      )
      SELECT d.id, d.endpoint_id AS "endpointId", e.revision AS "endpointRevision", d.event_id AS "eventId", d.kind,
        d.attempt_count AS "attemptCount", d.created_at AS "createdAt", v.body
      FROM wanted
      JOIN webhook_endpoints e ON e.id = wanted.endpoint_id AND e.lease_owner = $1 AND e.state = 'enabled'
      JOIN organizations o ON o.id = e.organization_id AND o.webhooks_enabled
      CROSS JOIN LATERAL (
        SELECT d.id, d.endpoint_id, d.event_id, d.kind, d.attempt_count, d.created_at FROM webhook_deliveries d
        WHERE d.endpoint_id = wanted.endpoint_id AND d.state = 'pending'
          AND d.next_attempt_at <= querybell_now() AND d.id <> ALL (wanted.known)
        ORDER BY d.next_attempt_at, d.id LIMIT $4
      ) d
      JOIN webhook_events v ON v.id = d.event_id`,
    values: [
      pumpId,
      endpoints.map(({ id }) => id),
      endpoints.map(({ known }) => `{${[...known].join(",")}}`),
      room,
    ],
  });
  return rows;
}
