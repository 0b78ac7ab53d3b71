import type { Tx } from "@querybell/db";
import { wakeUpChannel } from "@querybell/delivery";
import { envelopeBytes, newId, WebhookOccurrence } from "@querybell/domain";
import type { Deps } from "../deps.ts";

interface Emission {
  organizationId: string;
  occurrence: WebhookOccurrence;
  /** What caused it, like `automation_run:<id>`: the same cause never emits twice. */
  cause: string;
}

/**
 * Writes the event and a delivery for every subscribed endpoint, and wakes a pump, all in the transaction of
 * what caused it. Returns the event's id, or undefined when this cause has emitted already.
 *
 * No two emitters ever wait for each other. A pump looks at the endpoints it holds every few milliseconds,
 * so only endpoints that nobody holds need a wake-up: a NOTIFY makes commits take turns.
 */
export async function emitEvent(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  { organizationId, occurrence, cause }: Emission,
): Promise<string | undefined> {
  const id = newId(clock);
  const createdAt = clock.now();
  const body = envelopeBytes({ id, createdAt, occurrence: WebhookOccurrence.parse(occurrence) });
  const [emitted] = await tx.$queryRaw<{ id: string }[]>`
    WITH event AS (
      INSERT INTO webhook_events (id, organization_id, type, body, dedupe_key, created_at)
      VALUES (${id}::uuid, ${organizationId}::uuid, ${occurrence.type}, ${body}, ${cause}, ${createdAt}::timestamptz)
      ON CONFLICT (organization_id, dedupe_key) DO NOTHING
      RETURNING id
    ), subscribed AS (
      SELECT event.id AS event_id, e.id, e.lease_owner IS NOT NULL AS attended,
        e.state = 'enabled' AND o.webhooks_enabled AS active
      FROM event, webhook_endpoints e JOIN organizations o ON o.id = e.organization_id
      WHERE e.organization_id = ${organizationId}::uuid AND e.state <> 'deleted'
        AND ${occurrence.type} = ANY(e.event_types)
    ), deliveries AS (
      INSERT INTO webhook_deliveries (id, event_id, endpoint_id, state, next_attempt_at, created_at, state_changed_at)
      SELECT uuidv7(querybell_now() - now()), event_id, id,
        CASE WHEN active THEN 'pending' ELSE 'held' END::webhook_delivery_state,
        querybell_now(), querybell_now(), querybell_now()
      FROM subscribed
    )
    SELECT event.id::text,
      (SELECT count(pg_notify(${wakeUpChannel}, id::text)) FROM subscribed WHERE active AND NOT attended)::int AS woken
    FROM event`;
  return emitted?.id;
}
