import { AppError, type AutomationId, type AutomationRun, type Caller } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { triggerOf } from "../runs/start-run.ts";
import { toNewRun } from "./runs/automation-run-row.ts";
import { insertAutomationRun } from "./runs/insert-automation-run.ts";

/** Creates a run that starts now, or queues it behind the unfinished one. */
export async function triggerAutomation(
  deps: Deps,
  caller: Caller,
  { id: automationId }: AutomationId,
): Promise<AutomationRun> {
  const { organizationId } = caller;
  const triggerId = triggerOf(caller);
  const created = await insertAutomationRun(deps, {
    automationId,
    organizationId,
    triggerId,
    scheduledFor: null,
  });
  if (created.kind === "busy") throw new AppError("automation_busy", created.why);
  if (created.kind === "paused") throw new AppError("automation_paused", created.why);
  return toNewRun(deps, created.run);
}
