import {
  AppError,
  type Caller,
  type EnableWebhookEndpoint,
  newId,
  type WebhookEndpoint,
} from "@querybell/domain";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import { announceChange } from "./announce-change.ts";
import { lockEndpoint, readEndpoint } from "./find-endpoint.ts";
import { settleInactive } from "./settle-inactive.ts";

const dropPace = 10_000;

/** Sends again, with the failure counter at 0. What was held is delivered oldest first at a pace, or dropped. */
export async function enableEndpoint(
  deps: Deps,
  caller: Caller,
  input: EnableWebhookEndpoint,
): Promise<WebhookEndpoint> {
  const { id, held } = input;
  return deps.db.transaction(async (tx) => {
    const { state, url, createdAt } = await lockEndpoint(tx, caller, id);
    if (state !== "disabled") throw new AppError("conflict", "This endpoint is enabled already.");
    // Whatever came before this moment follows the choice, so it must be held by now.
    while ((await settleInactive(tx, id)) > 0);
    const total = await tx.webhookDelivery.count({ where: { endpointId: id, state: "held" } });
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
          perSecond: input.held === "deliver" ? input.perSecond : dropPace,
          total,
          pacedUntil: now,
          createdBy: caller.userId,
          createdAt: now,
        },
      });
    }
    await recordAudit({ ...deps, tx }, caller, {
      action: "webhook_endpoint.enabled",
      targetId: id,
      detail: { url, held, heldDeliveries: total },
    });
    await announceChange({ ...deps, tx }, id);
    return readEndpoint({ ...deps, tx }, id);
  });
}
