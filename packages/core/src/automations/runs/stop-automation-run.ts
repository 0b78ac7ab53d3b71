import type { AutomationRun, AutomationRunId, Caller } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { automationNameOf } from "./automation-run-row.ts";
import { endAutomationRun, stoppedBy } from "./end-automation-run.ts";
import { getAutomationRun, getAutomationRunRow } from "./get-automation-run.ts";

/**
 * Ends a run at once. The worker or agent that holds its lease loses it, and notices at its next renewal or write. A run
 * that has ended is not changed.
 */
export async function stopAutomationRun(
  deps: Deps,
  caller: Caller,
  { id }: AutomationRunId,
): Promise<AutomationRun> {
  // Without the lease number: the run ends, whichever worker executes it.
  const { leaseNumber: _, ...run } = await getAutomationRunRow(deps, caller, { id });
  await endAutomationRun(deps, { ...run, automationName: automationNameOf(run) }, stoppedBy(caller));
  return getAutomationRun(deps, caller, { id });
}
