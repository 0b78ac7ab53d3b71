import type { Pool } from "@querybell/db";
import type { SearchWebhookDeliveries, WebhookDelivery } from "@querybell/domain";
import type { StoredEvent } from "../send/event-body.ts";

export interface DeliveryRow extends Omit<WebhookDelivery, "createdAt" | "stateChangedAt" | "nextAttemptAt"> {
  nextAttemptAt: Date;
  createdAt: Date;
  stateChangedAt: Date;
}

// `d` is the delivery, `v` its event, `e` its endpoint.
const columns = `
  d.id, d.event_id AS "eventId", d.endpoint_id AS "endpointId", e.url AS "endpointUrl",
  e.kind AS "endpointKind", e.description AS "endpointDescription", v.type, d.kind, d.state,
  d.attempt_count AS "attemptCount", d.next_attempt_at AS "nextAttemptAt", d.created_at AS "createdAt",
  d.state_changed_at AS "stateChangedAt",
  (SELECT a.outcome FROM webhook_attempts a WHERE a.delivery_id = d.id ORDER BY a.number DESC LIMIT 1) AS "lastOutcome"`;

interface FoundDelivery extends DeliveryRow, Pick<StoredEvent, "body" | "position" | "subscriptionId"> {}

/** One delivery of an organization with its event's body; undefined if there is none. */
export async function findDelivery(
  pool: Pool,
  { id, organizationId }: { id: string; organizationId: string },
): Promise<FoundDelivery | undefined> {
  const { rows } = await pool.query<FoundDelivery>({
    name: "find_webhook_delivery",
    text: `
      SELECT ${columns}, v.body, v.position, e.subscription_id AS "subscriptionId"
      FROM webhook_deliveries d JOIN webhook_events v ON v.id = d.event_id
      JOIN webhook_endpoints e ON e.id = d.endpoint_id
      WHERE d.id = $1 AND e.organization_id = $2`,
    values: [id, organizationId],
  });
  return rows[0];
}

interface DeliverySearch extends Omit<SearchWebhookDeliveries, "limit" | "cursor"> {
  organizationId: string;
  /** Only deliveries before this id, the last one of the page before. */
  beforeId: string | undefined;
  limit: number;
}

/**
 * Deliveries of an organization, newest first. Each of its endpoints contributes its newest, found along an
 * index, and the page is merged from these: a page costs the same however much other organizations have sent.
 */
export async function findDeliveries(pool: Pool, search: DeliverySearch): Promise<DeliveryRow[]> {
  const values: unknown[] = [search.organizationId, search.limit];
  const optional = (value: unknown, condition: (parameter: string) => string): string =>
    value === undefined ? "" : `AND ${condition(`$${values.push(value)}`)}`;
  const ofEndpoint = optional(search.endpointId, (id) => `e.id = ${id}::uuid`);
  const conditions = [
    optional(search.beforeId, (id) => `d.id < ${id}::uuid`),
    optional(search.eventId, (id) => `d.event_id = ${id}::uuid`),
    optional(search.type, (type) => `v.type = ${type}`),
    optional(search.from, (from) => `d.created_at >= ${from}::timestamptz`),
    optional(search.until, (until) => `d.created_at < ${until}::timestamptz`),
    // A literal, so that the planner can use the partial index of that state. The schema allows only state names.
    search.state ? `AND d.state = '${search.state}'` : "",
  ].join(" ");
  const { rows } = await pool.query<DeliveryRow>(
    `SELECT ${columns}
     FROM webhook_endpoints e CROSS JOIN LATERAL (
       SELECT d.* FROM webhook_deliveries d JOIN webhook_events v ON v.id = d.event_id
       WHERE d.endpoint_id = e.id ${conditions}
       ORDER BY d.id DESC LIMIT $2) d
     JOIN webhook_events v ON v.id = d.event_id
     WHERE e.organization_id = $1 ${ofEndpoint}
     ORDER BY d.id DESC LIMIT $2`,
    values,
  );
  return rows;
}
