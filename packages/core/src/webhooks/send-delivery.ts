import type { Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  envelopeBytes,
  newId,
  type WebhookDeliveryId,
  type WebhookEndpointId,
} from "@querybell/domain";
import { cancelEventDeliveries, insertDelivery } from "@querybell/webhooks";
import type { Deps } from "../deps.ts";
import { chatUrl } from "../organizations/permalinks.ts";
import { deliveryNotFound } from "./get-delivery.ts";
import { lockAnyEndpoint, lockEndpoint } from "./get-endpoint.ts";

/**
 * Sends the same event to the same endpoint again, now. Each resend is a new delivery with eight attempts,
 * and cancels an unfinished delivery of the event to the endpoint.
 */
export async function resendDelivery(
  deps: Deps,
  caller: Caller,
  { id }: WebhookDeliveryId,
): Promise<WebhookDeliveryId> {
  return deps.db.transaction(async (tx) => {
    const delivery = await tx.webhookDelivery.findFirst({
      where: { id, endpoint: { organizationId: caller.organizationId } },
      select: { eventId: true, endpointId: true, kind: true },
    });
    if (!delivery) throw deliveryNotFound();
    const { eventId, endpointId, kind } = delivery;
    if (kind === "test") throw new AppError("conflict", "A test cannot be resent. Send a new test.");
    const { state } = await lockAnyEndpoint(tx, caller, endpointId);
    if (state !== "enabled")
      throw new AppError("conflict", "This endpoint is disabled. Enable it, then resend.");
    if (!(await holdEvent(tx, eventId))) throw deliveryNotFound();
    await cancelEventDeliveries(tx, delivery);
    const { _max } = await tx.webhookDelivery.aggregate({
      where: { eventId, endpointId },
      _max: { round: true },
    });
    return insertDelivery(tx, { eventId, endpointId, kind: "resend", round: (_max.round ?? 0) + 1 });
  });
}

/** Keeps an event from being deleted until the transaction ends. False if it has been deleted meanwhile. */
async function holdEvent(tx: Tx, id: string): Promise<boolean> {
  const found = await tx.$queryRaw<
    unknown[]
  >`SELECT 1 FROM webhook_events WHERE id = ${id}::uuid FOR KEY SHARE`;
  return found.length > 0;
}

/** Sends sample data in one attempt, which changes no failure counter. The receiver cannot tell it from a real event. */
export async function sendTestEvent(
  deps: Deps,
  caller: Caller,
  { id }: WebhookEndpointId,
): Promise<WebhookDeliveryId> {
  return deps.db.transaction(async (tx) => {
    const { state } = await lockEndpoint(tx, caller, id);
    if (state !== "enabled") {
      throw new AppError("conflict", "This endpoint is disabled. Enable it, then send a test.");
    }
    return insertTestEvent({ ...deps, tx }, caller, id);
  });
}

/** Inserts a test for an endpoint that is enabled. */
export async function insertTestEvent(
  { tx, clock, deployment }: { tx: Tx } & Pick<Deps, "clock" | "deployment">,
  { organizationId }: Pick<Caller, "organizationId">,
  endpointId: string,
): Promise<WebhookDeliveryId> {
  const eventId = newId(clock);
  const createdAt = clock.now();
  const data = {
    automationId: newId(clock),
    runId: newId(clock),
    summary: "This is a test: everything arrived as it should.",
    chatUrl: chatUrl({ deployment }, { shortId: "test" }),
    imageUrl: null,
  };
  const type = "automation.run.completed";
  const body = envelopeBytes({ id: eventId, createdAt, occurrence: { type, data } });
  await tx.webhookEvent.create({ data: { id: eventId, organizationId, type, body, createdAt } });
  return insertDelivery(tx, { eventId, endpointId, kind: "test", round: 0 });
}
