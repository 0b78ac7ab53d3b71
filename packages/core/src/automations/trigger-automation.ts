import { AppError, type AutomationId, type AutomationRun, type Caller } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { triggerOf } from "../runs/insert-run.ts";
import { lockAutomation } from "./find-automation.ts";
import { toAutomationRun } from "./runs/automation-run-row.ts";
import { insertAutomationRun } from "./runs/insert-automation-run.ts";

/** Starts a run now, or queues it behind the one that goes on. */
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
    const made = await insertAutomationRun({ ...deps, tx }, automation, { triggerId, scheduledFor: null });
    if (made.kind === "busy") throw new AppError("automation_busy", made.why);
    return toAutomationRun(deps, made.run);
  });
}
