import type { AutomationId, Caller } from "@querybell/domain";
import { endAutomationRun, stoppedFailure } from "../automation-runs/end-automation-run.ts";
import type { Deps } from "../deps.ts";
import { lockAutomation } from "./find-automation.ts";

/** Soft: its chats stay. Its unfinished runs are stopped. */
export async function deleteAutomation(deps: Deps, caller: Caller, { id }: AutomationId): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await lockAutomation(tx, caller, id);
    const unfinished = await tx.automationRun.findMany({
      where: { automationId: id, status: { in: ["pending", "running"] } },
      // Those that wait go first: none of them gets its turn.
      orderBy: { readyAt: { sort: "asc", nulls: "first" } },
    });
    for (const run of unfinished) {
      await endAutomationRun({ ...deps, tx }, run, { kind: "failed", failure: stoppedFailure });
    }
    await tx.automation.update({ where: { id }, data: { deletedAt: deps.clock.now(), nextRunAt: null } });
  });
}
