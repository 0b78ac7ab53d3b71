import { inTransaction, type Tx } from "@querybell/db";
import { type Clock, envelopeBytes, newId, WebhookDeliveryId, WebhookOccurrence } from "@querybell/domain";
import { type EndpointsToWake, wakePumps, wakePumpsAfterCommit } from "./wake-pumps.ts";

interface Emission {
  organizationId: string;
  occurrence: WebhookOccurrence;
  /** What caused the event, like `automation_run:<id>`. Each cause emits at most once. */
  cause: string;
}

/** An event as it is stored: its body is made once, and every attempt sends exactly these bytes. */
interface EventToEmit {
  id: string;
  type: WebhookOccurrence["type"];
  body: Uint8Array;
}

export function createEvent(clock: Clock, occurrence: WebhookOccurrence, createdAt: Date): EventToEmit {
  const id = newId(clock);
  const body = envelopeBytes({ id, createdAt, occurrence: WebhookOccurrence.parse(occurrence) });
  return { id, type: occurrence.type, body };
}

interface EmittedRow extends EndpointsToWake {
  emitted: string[] | null;
}

/**
 * Inserts events and a delivery for every subscribed endpoint, in the transaction of what caused them, and wakes the
 * pumps once it commits. Returns the ids of the new events; a cause that has emitted before gets none.
 */
export async function emitEvents(
  { tx, clock }: { tx: Tx; clock: Clock },
  emissions: readonly Emission[],
): Promise<string[]> {
  const createdAt = clock.now();
  const events = emissions.map(({ organizationId, occurrence, cause }) => ({
    ...createEvent(clock, occurrence, createdAt),
    organizationId,
    cause,
  }));
  const column = (name: keyof (typeof events)[number]) => events.map((event) => event[name]);
  const [row] = await inTransaction(tx)<EmittedRow>({
    name: "emit_webhook_events",
    text: `
      SELECT emitted, held_endpoints AS "heldEndpoints", free_endpoints AS "freeEndpoints"
      FROM emit_webhook_events($1::uuid[], $2::uuid[], $3::text[], $4::bytea[], $5::text[], $6::timestamptz)`,
    values: [
      column("id"),
      column("organizationId"),
      column("type"),
      column("body"),
      column("cause"),
      createdAt,
    ],
  });
  if (row) wakePumpsAfterCommit(tx, row);
  return row?.emitted ?? [];
}

interface NewDelivery {
  eventId: string;
  endpointId: string;
  kind: "resend" | "test";
  round: number;
}

/** Inserts a delivery that a person asked for, due now. The database sets its id and its times. */
export async function insertDelivery(tx: Tx, delivery: NewDelivery): Promise<WebhookDeliveryId> {
  const { eventId, endpointId, kind, round } = delivery;
  const [inserted] = await tx.$queryRaw<unknown[]>`
    INSERT INTO webhook_deliveries
      (id, event_id, endpoint_id, round, kind, state, next_attempt_at, created_at, state_changed_at)
    VALUES (uuidv7(querybell_now() - now()), ${eventId}::uuid, ${endpointId}::uuid, ${round}::integer,
      ${kind}::webhook_delivery_kind, 'pending', querybell_now(), querybell_now(), querybell_now())
    RETURNING id::text`;
  await wakePumps(tx, endpointId);
  return WebhookDeliveryId.parse(inserted);
}
