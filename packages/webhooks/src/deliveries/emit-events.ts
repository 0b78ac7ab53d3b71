import type { Tx } from "@querybell/db";
import { type Clock, envelopeBytes, newId, WebhookOccurrence } from "@querybell/domain";
import { wakeUpChannel } from "./wake-pumps.ts";

interface Emission {
  organizationId: string;
  occurrence: WebhookOccurrence;
  /** What caused the event, like `automation_run:<id>`. Each cause emits at most once. */
  cause: string;
}

/**
 * Inserts events and a delivery for every subscribed endpoint, in the transaction of what caused them, and wakes the
 * pumps once it commits. Returns the ids of the new events; a cause that has emitted before gets none.
 *
 * Only endpoints that no pump holds get a wake-up: a pump polls the endpoints it holds every few milliseconds, and
 * NOTIFY makes concurrent commits wait for each other.
 */
export async function emitEvents(
  { tx, clock }: { tx: Tx; clock: Clock },
  emissions: readonly Emission[],
): Promise<string[]> {
  const createdAt = clock.now();
  const events = emissions.map(({ organizationId, occurrence, cause }) => {
    const id = newId(clock);
    const body = envelopeBytes({ id, createdAt, occurrence: WebhookOccurrence.parse(occurrence) });
    return { id, organizationId, type: occurrence.type, body, cause };
  });
  const column = (name: keyof (typeof events)[number]) => events.map((event) => event[name]);
  const emitted = await tx.$queryRaw<{ id: string }[]>`
    WITH event AS (
      INSERT INTO webhook_events (id, organization_id, type, body, dedupe_key, created_at)
      SELECT id, organization_id, type, body, cause, ${createdAt}::timestamptz
      FROM unnest(${column("id")}::uuid[], ${column("organizationId")}::uuid[], ${column("type")}::text[],
          ${column("body")}::bytea[], ${column("cause")}::text[])
        AS emission(id, organization_id, type, body, cause)
      ON CONFLICT (organization_id, dedupe_key) DO NOTHING
      RETURNING id, organization_id, type
    ), subscribed AS (
      SELECT event.id AS event_id, e.id, e.lease_owner IS NOT NULL AS held_by_pump,
        e.state = 'enabled' AND o.webhooks_enabled AS active
      FROM event
      JOIN webhook_endpoints e ON e.organization_id = event.organization_id
      JOIN organizations o ON o.id = e.organization_id
      WHERE e.state <> 'deleted' AND event.type = ANY(e.event_types)
    ), deliveries AS (
      INSERT INTO webhook_deliveries (id, event_id, endpoint_id, state, next_attempt_at, created_at, state_changed_at)
      SELECT uuidv7(querybell_now() - now()), event_id, id,
        CASE WHEN active THEN 'pending' ELSE 'held' END::webhook_delivery_state,
        querybell_now(), querybell_now(), querybell_now()
      FROM subscribed
    ), to_wake AS (
      SELECT DISTINCT id FROM subscribed WHERE active AND NOT held_by_pump
    )
    SELECT event.id::text, (SELECT count(pg_notify(${wakeUpChannel}, id::text)) FROM to_wake)::int AS woken
    FROM event`;
  return emitted.map(({ id }) => id);
}
