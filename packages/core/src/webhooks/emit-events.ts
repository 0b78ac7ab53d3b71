import { arrayLiteral, type Tx } from "@querybell/db";
import { envelopeBytes, newId, WebhookOccurrence } from "@querybell/domain";
import { wakeUpChannel } from "@querybell/webhooks";
import type { Deps } from "../deps.ts";

interface Emission {
  organizationId: string;
  occurrence: WebhookOccurrence;
  /** What caused it, like `automation_run:<id>`: the same cause never emits twice. */
  cause: string;
}

/**
 * Writes events and a delivery for every subscribed endpoint, and wakes pumps, all in the transaction of what
 * caused them. Returns the ids of the events, without those whose cause had emitted already.
 *
 * Emitters wait for each other only over the same cause. A pump looks at the endpoints it holds every few milliseconds,
 * so only endpoints that nobody holds need a wake-up: a NOTIFY makes commits take turns.
 */
export async function emitEvents(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  emissions: readonly Emission[],
): Promise<string[]> {
  const createdAt = clock.now();
  const events = emissions.map(({ organizationId, occurrence, cause }) => {
    const id = newId(clock);
    const body = envelopeBytes({ id, createdAt, occurrence: WebhookOccurrence.parse(occurrence) });
    return { id, organizationId, type: occurrence.type, body, cause };
  });
  const column = (name: keyof (typeof events)[number]) => arrayLiteral(events.map((event) => event[name]));
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
      SELECT event.id AS event_id, e.id, e.lease_owner IS NOT NULL AS attended,
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
    ), unattended AS (
      SELECT DISTINCT id FROM subscribed WHERE active AND NOT attended
    )
    SELECT event.id::text, (SELECT count(pg_notify(${wakeUpChannel}, id::text)) FROM unattended)::int AS woken
    FROM event`;
  return emitted.map(({ id }) => id);
}
