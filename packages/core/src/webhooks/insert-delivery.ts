import type { Tx } from "@querybell/db";
import { newId, type WebhookDeliveryId } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { wakePump } from "./wake-pump.ts";

interface NewDelivery {
  eventId: string;
  endpointId: string;
  kind: "resend" | "test";
  round: number;
}

/** A delivery that somebody asked for, due at once. */
export async function insertDelivery(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  delivery: NewDelivery,
): Promise<WebhookDeliveryId> {
  const id = newId(clock);
  const now = clock.now();
  await tx.webhookDelivery.create({
    data: { ...delivery, id, state: "pending", nextAttemptAt: now, createdAt: now, stateChangedAt: now },
  });
  await wakePump(tx, delivery.endpointId);
  return { id };
}
