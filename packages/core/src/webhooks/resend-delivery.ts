import { AppError, type Caller, type WebhookDeliveryId } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { cancelWaiting } from "./cancel-deliveries.ts";
import { lockEndpoint } from "./find-endpoint.ts";
import { missingDelivery } from "./get-delivery.ts";
import { insertDelivery } from "./insert-delivery.ts";

/**
 * Sends the same event to the same endpoint now, with eight attempts of its own. As often as one likes: each
 * resend is a delivery, and takes the place of one of the event that is still waiting.
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
    if (!delivery) throw missingDelivery();
    const { eventId, endpointId, kind } = delivery;
    if (kind === "test") throw new AppError("conflict", "A test is not sent again: send a new one.");
    const { state } = await lockEndpoint(tx, caller, endpointId);
    if (state !== "enabled")
      throw new AppError("conflict", "This endpoint is disabled. Enable it, then resend.");
    await cancelWaiting(tx, delivery);
    const { _max } = await tx.webhookDelivery.aggregate({
      where: { eventId, endpointId },
      _max: { round: true },
    });
    return insertDelivery(tx, { eventId, endpointId, kind: "resend", round: (_max.round ?? 0) + 1 });
  });
}
