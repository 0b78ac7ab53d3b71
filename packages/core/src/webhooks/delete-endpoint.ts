import type { Caller, WebhookEndpointId } from "@querybell/domain";
import { cancelHeldDeliveries, holdPendingDeliveries } from "@querybell/webhooks";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import { bumpRevision } from "./bump-revision.ts";
import { lockEndpoint } from "./get-endpoint.ts";

/** Cancels unfinished deliveries and deletes the secrets. The history of deliveries stays until it is purged. */
export async function deleteEndpoint(deps: Deps, caller: Caller, { id }: WebhookEndpointId): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const { url } = await lockEndpoint(tx, caller, id);
    const now = deps.clock.now();
    await tx.webhookEndpoint.update({
      where: { id },
      data: { state: "deleted", disabledReason: null, disabledAt: null },
    });
    await tx.webhookSecret.deleteMany({ where: { endpointId: id } });
    await tx.webhookRecovery.updateMany({
      where: { endpointId: id, state: "running" },
      data: { state: "cancelled", endedAt: now },
    });
    await cancelHeldDeliveries(tx, id);
    // Cancels them: the endpoint is deleted by now.
    await holdPendingDeliveries(tx, id);
    await recordAudit({ ...deps, tx }, caller, {
      action: "webhook_endpoint.deleted",
      targetId: id,
      detail: { url },
    });
    await bumpRevision({ ...deps, tx }, id);
  });
}
