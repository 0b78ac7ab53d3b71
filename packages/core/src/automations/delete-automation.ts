import type { AutomationId, Caller } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { lockAutomation } from "./get-automation.ts";
import { endAutomationRuns, stoppedBy } from "./runs/end-automation-runs.ts";

/** Soft delete: the chats remain. Unfinished runs are stopped. */
export async function deleteAutomation(deps: Deps, caller: Caller, { id }: AutomationId): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await lockAutomation(tx, caller, id);
    const runs = await tx.automationRun.findMany({
      where: { automationId: id, status: { in: ["pending", "running"] } },
      select: { id: true },
    });
    await endAutomationRuns({ ...deps, tx }, { automationId: id, runs }, stoppedBy(caller));
    await tx.automation.update({ where: { id }, data: { deletedAt: deps.clock.now(), nextRunAt: null } });
  });
}
