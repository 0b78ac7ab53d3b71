import {
  AppError,
  type Caller,
  type EnableWebhookEndpoint,
  newId,
  type WebhookEndpoint,
  type WebhookEndpointId,
} from "@querybell/domain";
import { countUnfinishedDeliveries, holdPendingDeliveries } from "@querybell/webhooks";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { bumpRevision, lockEndpoint, readEndpoint, toAuditRecord } from "./get-endpoint.ts";

/** Dropping has no pace, but the column must have a value. */
const unusedPace = 10_000;

/** Starts sending again, with the failure counter at 0. Held deliveries are delivered at a pace, oldest first, or dropped. */
export async function enableEndpoint(
  deps: Deps,
  caller: Caller,
  input: EnableWebhookEndpoint,
): Promise<WebhookEndpoint> {
  const { id, held } = input;
  return deps.db.transaction(async (tx) => {
    const row = await lockEndpoint(tx, caller, id);
    const { state, createdAt } = row;
    if (state !== "disabled") throw new AppError("conflict", "This endpoint is already enabled.");
    // The choice applies to every unfinished delivery, so those that are still pending are held first.
    while ((await holdPendingDeliveries(tx, id)) > 0);
    const total = (await countUnfinishedDeliveries(tx, [id]))[0]?.held ?? 0;
    const now = deps.clock.now();
    await tx.webhookEndpoint.update({
      where: { id },
      data: {
        state: "enabled",
        disabledReason: null,
        disabledAt: null,
        consecutiveFailures: 0,
      },
    });
    await tx.webhookRecovery.updateMany({
      where: { endpointId: id, state: "running", action: { in: ["deliver_held", "drop_held"] } },
      data: { state: "cancelled", endedAt: now },
    });
    if (total > 0) {
      await tx.webhookRecovery.create({
        data: {
          id: newId(deps.clock),
          organizationId: caller.organizationId,
          endpointId: id,
          action: held === "deliver" ? "deliver_held" : "drop_held",
          since: createdAt,
          perSecond: input.held === "deliver" ? input.perSecond : unusedPace,
          total,
          pacedUntil: now,
          createdBy: caller.userId,
          createdAt: now,
        },
      });
    }
    const record = toAuditRecord(row, "enabled", { held, heldDeliveries: total });
    await recordAudit({ ...deps, tx }, caller, record);
    await bumpRevision({ ...deps, tx }, id);
    return readEndpoint({ ...deps, tx }, id);
  });
}

/** Stops sending and holds pending deliveries: the first batch here, the rest of a long queue by the pumps. */
export async function disableEndpoint(
  deps: Deps,
  caller: Caller,
  { id }: WebhookEndpointId,
): Promise<WebhookEndpoint> {
  return deps.db.transaction(async (tx) => {
    const row = await lockEndpoint(tx, caller, id);
    if (row.state !== "enabled") throw new AppError("conflict", "This endpoint is already disabled.");
    const now = deps.clock.now();
    await tx.webhookEndpoint.update({
      where: { id },
      data: { state: "disabled", disabledReason: "admin", disabledAt: now },
    });
    await holdPendingDeliveries(tx, id);
    await recordAudit({ ...deps, tx }, caller, toAuditRecord(row, "disabled"));
    await bumpRevision({ ...deps, tx }, id);
    return readEndpoint({ ...deps, tx }, id);
  });
}
