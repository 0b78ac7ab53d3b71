import {
  type Caller,
  type SearchWebhookDeliveries,
  WebhookDelivery,
  type WebhookDeliveryPage,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { readLivePage } from "../paging/live-page.ts";

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
  deps: Deps,
  { organizationId }: Caller,
  { limit, cursor, ...input }: SearchWebhookDeliveries,
): Promise<WebhookDeliveryPage> {
  const filter = JSON.stringify(input, Object.keys(input).sort());
  const { items, ...rest } = await readLivePage(
    deps,
    { list: "webhookDeliveries", organizationId, filter, limit, cursor },
    ({ after, take }) => findDeliveries(deps, input, { organizationId, after: after?.id, take }),
  );
  return { items: items.map(toDelivery), ...rest };
}

async function findDeliveries(
  { db }: Pick<Deps, "db">,
  input: Omit<SearchWebhookDeliveries, "limit" | "cursor">,
  { organizationId, after, take }: { organizationId: string; after: string | undefined; take: number },
): Promise<DeliveryRow[]> {
  const values: unknown[] = [organizationId, take];
  const given = (value: unknown, condition: (parameter: string) => string): string =>
    value === undefined ? "" : `AND ${condition(`$${values.push(value)}`)}`;
  const ofEndpoint = given(input.endpointId, (id) => `e.id = ${id}::uuid`);
  const conditions = [
    given(after, (id) => `d.id < ${id}::uuid`),
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
  return rows;
}
