import { AppError, type Caller, type WebhookEndpoint, type WebhookEndpointId } from "@querybell/domain";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import { announceChange } from "./announce-change.ts";
import { lockEndpoint, readEndpoint } from "./find-endpoint.ts";
import { settleInactive } from "./settle-inactive.ts";

/** Nothing more is sent; what waits is held. Of a long queue the pumps hold the rest, batch by batch. */
export async function disableEndpoint(
  deps: Deps,
  caller: Caller,
  { id }: WebhookEndpointId,
): Promise<WebhookEndpoint> {
  return deps.db.transaction(async (tx) => {
    const { state, url } = await lockEndpoint(tx, caller, id);
    if (state !== "enabled") throw new AppError("conflict", "This endpoint is disabled already.");
    const now = deps.clock.now();
    await tx.webhookEndpoint.update({
      where: { id },
      data: { state: "disabled", disabledReason: "admin", disabledAt: now },
    });
    await settleInactive(tx, id);
    await recordAudit({ ...deps, tx }, caller, {
      action: "webhook_endpoint.disabled",
      targetId: id,
      detail: { url },
    });
    await announceChange({ ...deps, tx }, id);
    return readEndpoint({ ...deps, tx }, id);
  });
}
