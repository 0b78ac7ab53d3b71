import type { Caller } from "@querybell/domain";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";

/** Removes the organization's model, its key and the consent. Runs of the agent `model` then fail. */
export async function removeModel(deps: Deps, caller: Caller): Promise<void> {
  const { organizationId } = caller;
  await deps.db.transaction(async (tx) => {
    const { count } = await tx.modelSettings.deleteMany({ where: { organizationId } });
    if (count === 0) return;
    await recordAudit({ ...deps, tx }, caller, { action: "model.removed", targetId: organizationId });
  });
}
