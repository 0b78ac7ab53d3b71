import type { Caller, WebhookEndpointId } from "@querybell/domain";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import { announceChange } from "./announce-change.ts";
import { cancelHeld } from "./cancel-deliveries.ts";
import { lockEndpoint } from "./find-endpoint.ts";
import { settleInactive } from "./settle-inactive.ts";

/** Cancels what is unfinished and forgets the secrets. The history of deliveries stays until it is purged. */
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
    await cancelHeld(tx, id);
    await settleInactive(tx, id);
    await recordAudit({ ...deps, tx }, caller, {
      action: "webhook_endpoint.deleted",
      targetId: id,
      detail: { url },
    });
    await announceChange({ ...deps, tx }, id);
  });
}
