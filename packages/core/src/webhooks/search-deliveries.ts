import {
  type Caller,
  type SearchWebhookDeliveries,
  WebhookDelivery,
  type WebhookDeliveryPage,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { cursorAfter, readCursor } from "./page-cursor.ts";

export interface DeliveryRow extends Omit<WebhookDelivery, "createdAt" | "stateChangedAt" | "nextAttemptAt"> {
  nextAttemptAt: Date;
  createdAt: Date;
  stateChangedAt: Date;
}

export const toDelivery = (row: DeliveryRow): WebhookDelivery =>
  WebhookDelivery.parse({
    ...row,
    nextAttemptAt: row.state === "pending" ? row.nextAttemptAt.toISOString() : null,
    createdAt: row.createdAt.toISOString(),
    stateChangedAt: row.stateChangedAt.toISOString(),
  });

/** `d` is the delivery, `v` its event, `e` its endpoint. */
export const deliveryColumns = `
  d.id, d.event_id AS "eventId", d.endpoint_id AS "endpointId", e.url AS "endpointUrl", v.type, d.kind, d.state,
  d.attempt_count AS "attemptCount", d.next_attempt_at AS "nextAttemptAt", d.created_at AS "createdAt",
  d.state_changed_at AS "stateChangedAt",
  (SELECT a.outcome FROM webhook_attempts a WHERE a.delivery_id = d.id ORDER BY a.number DESC LIMIT 1) AS "lastOutcome"`;

/**
 * Newest first. Every endpoint of the organization gives its newest from an index of its own and the pages
 * are merged from these, so a page costs the same however much other organizations have sent.
 */
export async function searchDeliveries(
  { db }: Deps,
  { organizationId }: Caller,
  input: SearchWebhookDeliveries,
): Promise<WebhookDeliveryPage> {
  const values: unknown[] = [organizationId, input.limit + 1];
  const given = (value: unknown, condition: (parameter: string) => string): string =>
    value === undefined ? "" : `AND ${condition(`$${values.push(value)}`)}`;
  const ofEndpoint = given(input.endpointId, (id) => `e.id = ${id}::uuid`);
  const conditions = [
    given(readCursor(input.cursor), (id) => `d.id < ${id}::uuid`),
    given(input.eventId, (id) => `d.event_id = ${id}::uuid`),
    given(input.type, (type) => `v.type = ${type}`),
    given(input.from, (from) => `d.created_at >= ${from}::timestamptz`),
    given(input.until, (until) => `d.created_at < ${until}::timestamptz`),
    // Written out, so that the partial index of that state can be used; it is one of an enumeration.
    input.state ? `AND d.state = '${input.state}'` : "",
  ].join(" ");
  const { rows } = await db.pool.query<DeliveryRow>(
    `SELECT ${deliveryColumns}
     FROM webhook_endpoints e CROSS JOIN LATERAL (
       SELECT d.* FROM webhook_deliveries d JOIN webhook_events v ON v.id = d.event_id
       WHERE d.endpoint_id = e.id ${conditions}
       ORDER BY d.id DESC LIMIT $2) d
     JOIN webhook_events v ON v.id = d.event_id
     WHERE e.organization_id = $1 ${ofEndpoint}
     ORDER BY d.id DESC LIMIT $2`,
    values,
  );
  const items = rows.slice(0, input.limit).map(toDelivery);
  const last = items.at(-1);
  return { items, ...(rows.length > input.limit && last && { nextCursor: cursorAfter(last.id) }) };
}
