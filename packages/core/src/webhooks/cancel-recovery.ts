import { AppError, type Caller, type WebhookRecovery, type WebhookRecoveryId } from "@querybell/domain";
import { cancelRecoveryDeliveries, wakePumps } from "@querybell/webhooks";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import { getRecovery, recoveryNotFound } from "./recover-endpoint.ts";

/**
 * Stops a recovery and cancels the deliveries that it queued and that have had no attempt. If it delivers held
 * deliveries, those that it has not queued yet are dropped; the pump would start a new recovery for them otherwise.
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
    if (!recovery) throw recoveryNotFound();
    if (recovery.state !== "running")
      throw new AppError("conflict", `This recovery is already ${recovery.state}.`);
    if (recovery.action === "drop_held")
      throw new AppError("conflict", "A recovery that drops deliveries cannot be cancelled.");
    const now = deps.clock.now();
    await tx.webhookRecovery.update({ where: { id }, data: { state: "cancelled", endedAt: now } });
    await cancelRecoveryDeliveries(tx, id);
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
    await wakePumps(tx, recovery.endpointId);
  });
  return getRecovery(deps, caller, { id });
}
