import { AppError, type Caller, type WebhookEndpoint, type WebhookEndpointId } from "@querybell/domain";
import { holdPendingDeliveries } from "@querybell/webhooks";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import { bumpRevision } from "./bump-revision.ts";
import { lockEndpoint, readEndpoint } from "./get-endpoint.ts";

/** Stops sending and holds pending deliveries: the first batch here, the rest of a long queue by the pumps. */
export async function disableEndpoint(
  deps: Deps,
  caller: Caller,
  { id }: WebhookEndpointId,
): Promise<WebhookEndpoint> {
  return deps.db.transaction(async (tx) => {
    const { state, url } = await lockEndpoint(tx, caller, id);
    if (state !== "enabled") throw new AppError("conflict", "This endpoint is already disabled.");
    const now = deps.clock.now();
    await tx.webhookEndpoint.update({
      where: { id },
      data: { state: "disabled", disabledReason: "admin", disabledAt: now },
    });
    await holdPendingDeliveries(tx, id);
    await recordAudit({ ...deps, tx }, caller, {
      action: "webhook_endpoint.disabled",
      targetId: id,
      detail: { url },
    });
    await bumpRevision({ ...deps, tx }, id);
    return readEndpoint({ ...deps, tx }, id);
  });
}
