import type { Tx } from "@querybell/db";
import { wakeUpChannel } from "@querybell/delivery";
import { type Clock, envelopeBytes, newId, WebhookOccurrence } from "@querybell/domain";
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
  emission: Emission,
): Promise<string | undefined> {
  const [emitted] = await tx.$queryRawUnsafe<{ id: string }[]>(statement, ...valuesOf(clock, emission));
  return emitted?.id;
}

/** The same, where nothing else has to commit with it: a transaction of its own, in one round trip. */
export async function emitEventAlone(
  { db, clock }: Pick<Deps, "db" | "clock">,
  emission: Emission,
): Promise<string | undefined> {
  const prepared = { name: "emit_webhook_event", text: statement, values: valuesOf(clock, emission) };
  const { rows } = await db.pool.query<{ id: string }>(prepared);
  return rows[0]?.id;
}

function valuesOf(clock: Clock, { organizationId, occurrence, cause }: Emission): unknown[] {
  const id = newId(clock);
  const createdAt = clock.now();
  const body = envelopeBytes({ id, createdAt, occurrence: WebhookOccurrence.parse(occurrence) });
  return [id, organizationId, occurrence.type, body, cause, createdAt];
}

const statement = `
  WITH event AS (
    INSERT INTO webhook_events (id, organization_id, type, body, dedupe_key, created_at)
    VALUES ($1::uuid, $2::uuid, $3, $4, $5, $6::timestamptz)
    ON CONFLICT (organization_id, dedupe_key) DO NOTHING
    RETURNING id
  ), subscribed AS (
    SELECT event.id AS event_id, e.id, e.lease_owner IS NOT NULL AS attended,
      e.state = 'enabled' AND o.webhooks_enabled AS active
    FROM event, webhook_endpoints e JOIN organizations o ON o.id = e.organization_id
    WHERE e.organization_id = $2::uuid AND e.state <> 'deleted' AND $3 = ANY(e.event_types)
  ), deliveries AS (
    INSERT INTO webhook_deliveries (id, event_id, endpoint_id, state, next_attempt_at, created_at, state_changed_at)
    SELECT uuidv7(querybell_now() - now()), event_id, id,
      CASE WHEN active THEN 'pending' ELSE 'held' END::webhook_delivery_state,
      querybell_now(), querybell_now(), querybell_now()
    FROM subscribed
  )
  SELECT event.id::text,
    (SELECT count(pg_notify('${wakeUpChannel}', id::text)) FROM subscribed WHERE active AND NOT attended)::int AS woken
  FROM event`;
