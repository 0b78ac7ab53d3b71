import type { AutomationId, Caller } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { lockAutomation } from "./get-automation.ts";
import { automationNameOf } from "./runs/automation-run-row.ts";
import { endAutomationRunIn, stoppedBy } from "./runs/end-automation-run.ts";

/** Soft delete: the chats remain. Unfinished runs are stopped. */
export async function deleteAutomation(deps: Deps, caller: Caller, { id }: AutomationId): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await lockAutomation(tx, caller, id);
    const runs = await tx.automationRun.findMany({
      where: { automationId: id, status: { in: ["pending", "running"] } },
      select: { id: true, organizationId: true, automationId: true, shortId: true, brief: true },
      // The ready run last: ending it earlier would make the next one ready.
      orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    });
    for (const run of runs) {
      const automationName = automationNameOf(run);
      await endAutomationRunIn({ ...deps, tx }, { ...run, automationName }, stoppedBy(caller));
    }
    await tx.automation.update({ where: { id }, data: { deletedAt: deps.clock.now(), nextRunAt: null } });
  });
}
