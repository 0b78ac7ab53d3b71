import type { RunStatement } from "@querybell/db";
import type { EndpointsToWake } from "./wake-pumps.ts";

/** An event that goes to one destination, and to nobody who subscribes. */
export interface DirectMessage {
  eventId: string;
  endpointId: string;
  /** JSON. */
  body: string;
}

interface MessagesToInsert {
  organizationId: string;
  type: string;
  /** The cause of all of them. Each has one event. */
  cause: string;
  at: Date;
  messages: readonly DirectMessage[];
}

/**
 * Inserts messages, each with its delivery, in the transaction of the caller: all of them or none. One to a destination that
 * was deleted has no delivery. The caller wakes the pumps after the commit.
 */
export async function insertMessages(
  runStatement: RunStatement,
  { organizationId, type, cause, at, messages }: MessagesToInsert,
): Promise<EndpointsToWake | undefined> {
  const [woken] = await runStatement<EndpointsToWake>({
    name: "insert_direct_messages",
    text: `
      WITH message AS (
        SELECT * FROM unnest($4::uuid[], $5::uuid[], $6::text[]) WITH ORDINALITY AS m(event_id, endpoint_id, body, number)
      ), event AS (
        INSERT INTO webhook_events (id, organization_id, type, body, dedupe_key, created_at)
        SELECT event_id, $1::uuid, $2, convert_to(body, 'UTF8'), $3 || ':' || number, $7::timestamptz FROM message
        RETURNING id
      ), target AS (
        SELECT m.number, m.event_id, e.id, e.lease_owner IS NOT NULL AS is_held,
          e.state = 'enabled' AND o.webhooks_enabled AS is_active
        FROM event JOIN message m ON m.event_id = event.id
          JOIN webhook_endpoints e ON e.id = m.endpoint_id AND e.organization_id = $1 AND e.state <> 'deleted'
            AND e.kind NOT IN ('webhook', 'mcp')
          JOIN organizations o ON o.id = e.organization_id
      ), delivery AS (
        INSERT INTO webhook_deliveries (id, event_id, endpoint_id, state, next_attempt_at, created_at, state_changed_at)
        SELECT uuidv7(querybell_now() - now()), t.event_id, t.id,
          CASE WHEN t.is_active THEN 'pending' ELSE 'held' END::webhook_delivery_state,
          querybell_now(), querybell_now(), querybell_now()
        FROM target t ORDER BY t.number
      )
      SELECT array_agg(DISTINCT t.id::text) FILTER (WHERE t.is_active AND t.is_held) AS "heldEndpoints",
        array_agg(DISTINCT t.id::text) FILTER (WHERE t.is_active AND NOT t.is_held) AS "freeEndpoints"
      FROM target t`,
    values: [
      organizationId,
      type,
      cause,
      messages.map(({ eventId }) => eventId),
      messages.map(({ endpointId }) => endpointId),
      messages.map(({ body }) => body),
      at,
    ],
  });
  return woken;
}
