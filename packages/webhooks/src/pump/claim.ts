import { arrayLiteral } from "@querybell/db";
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
  /** Endpoints, and at most how many deliveries of each. */
  wanted: { endpointId: string; room: number }[];
  /** Deliveries that are already here: buffered, in flight, or ended and not yet written down. */
  known: string[];
}

/** The oldest due deliveries of each endpoint, in one statement that writes nothing. */
export async function claimDue(pool: Pool, { pumpId, wanted, known }: Claim): Promise<ClaimedDelivery[]> {
  const { rows } = await pool.query<ClaimedDelivery>({
    name: "claim_webhook_deliveries",
    text: `
      SELECT d.id, d.endpoint_id AS "endpointId", e.revision AS "endpointRevision", d.event_id AS "eventId", d.kind,
        d.attempt_count AS "attemptCount", d.created_at AS "createdAt", v.body
      FROM unnest($2::uuid[], $3::int[]) AS wanted(endpoint_id, room)
      JOIN webhook_endpoints e ON e.id = wanted.endpoint_id AND e.lease_owner = $1 AND e.state = 'enabled'
      JOIN organizations o ON o.id = e.organization_id AND o.webhooks_enabled
      CROSS JOIN LATERAL (
        SELECT d.id, d.endpoint_id, d.event_id, d.kind, d.attempt_count, d.created_at FROM webhook_deliveries d
        WHERE d.endpoint_id = wanted.endpoint_id AND d.state = 'pending'
          AND d.next_attempt_at <= querybell_now() AND d.id NOT IN (SELECT unnest($4::uuid[]))
        ORDER BY d.next_attempt_at, d.id LIMIT wanted.room
      ) d
      JOIN webhook_events v ON v.id = d.event_id`,
    values: [
      pumpId,
      arrayLiteral(wanted.map(({ endpointId }) => endpointId)),
      arrayLiteral(wanted.map(({ room }) => room)),
      arrayLiteral(known),
    ],
  });
  return rows;
}
