import { AppError, type AutomationId, type AutomationRun, type Caller } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { triggerOf } from "../runs/insert-run.ts";
import { lockAutomation } from "./get-automation.ts";
import { toAutomationRun } from "./runs/automation-run-row.ts";
import { insertAutomationRun } from "./runs/insert-automation-run.ts";

/** Creates a run that starts now, or queues it behind the unfinished one. */
export async function triggerAutomation(
  deps: Deps,
  caller: Caller,
  { id }: AutomationId,
): Promise<AutomationRun> {
  return deps.db.transaction(async (tx) => {
    const automation = await lockAutomation(tx, caller, id);
    if (!automation.enabled) {
      throw new AppError("automation_paused", "This automation is paused. Resume it, then run it.");
    }
    const triggerId = triggerOf(caller);
    const created = await insertAutomationRun({ ...deps, tx }, automation, { triggerId, scheduledFor: null });
    if (created.kind === "busy") throw new AppError("automation_busy", created.why);
    return toAutomationRun(deps, created.run);
  });
}
