import type { Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  envelopeBytes,
  newId,
  type WebhookDeliveryId,
  type WebhookEndpointId,
} from "@querybell/domain";
import { insertDelivery } from "@querybell/webhooks";
import type { Deps } from "../deps.ts";
import { lockEndpoint } from "./get-endpoint.ts";

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
    chatUrl: `${deployment.publicUrl}/chats/test`,
    imageUrl: null,
  };
  const type = "automation.run.completed";
  const body = envelopeBytes({ id: eventId, createdAt, occurrence: { type, data } });
  await tx.webhookEvent.create({ data: { id: eventId, organizationId, type, body, createdAt } });
  return insertDelivery(tx, { eventId, endpointId, kind: "test", round: 0 });
}
