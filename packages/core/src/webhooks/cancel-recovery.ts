import { AppError, type Caller, type WebhookRecovery, type WebhookRecoveryId } from "@querybell/domain";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import { cancelQueued } from "./cancel-deliveries.ts";
import { getRecovery, missingRecovery } from "./recover-endpoint.ts";
import { wakePump } from "./wake-pump.ts";

/**
 * Stops a recovery: what it has queued and nobody has attempted is cancelled. Of deliveries that were held,
 * those that it has not come to are dropped: they would be delivered otherwise.
 */
export async function cancelRecovery(
  deps: Deps,
  caller: Caller,
  { id }: WebhookRecoveryId,
): Promise<WebhookRecovery> {
  await deps.db.transaction(async (tx) => {
    const { organizationId } = caller;
    await tx.$queryRaw`
      SELECT 1 FROM webhook_recoveries
      WHERE id = ${id}::uuid AND organization_id = ${organizationId}::uuid FOR UPDATE`;
    const recovery = await tx.webhookRecovery.findFirst({ where: { id, organizationId } });
    if (!recovery) throw missingRecovery();
    if (recovery.state !== "running")
      throw new AppError("conflict", `This recovery is ${recovery.state} already.`);
    if (recovery.action === "drop_held")
      throw new AppError("conflict", "What is being dropped cannot be kept.");
    const now = deps.clock.now();
    await tx.webhookRecovery.update({ where: { id }, data: { state: "cancelled", endedAt: now } });
    await cancelQueued(tx, id);
    if (recovery.action === "deliver_held") {
      await tx.webhookDelivery.updateMany({
        where: { endpointId: recovery.endpointId, state: "held", createdAt: { lte: recovery.createdAt } },
        data: { state: "dropped", stateChangedAt: now },
      });
    }
    await recordAudit({ ...deps, tx }, caller, {
      action: "webhook_recovery.cancelled",
      targetId: id,
      detail: { endpointId: recovery.endpointId, queued: recovery.queued, total: recovery.total },
    });
    await wakePump(tx, recovery.endpointId);
  });
  return getRecovery(deps, caller, { id });
}
