import type { Tx } from "@querybell/db";
import { type Clock, envelopeBytes, newId, WebhookDeliveryId, WebhookOccurrence } from "@querybell/domain";
import { wakePumps } from "./wake-pumps.ts";

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
