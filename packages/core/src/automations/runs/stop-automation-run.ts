import type { AutomationRun, AutomationRunId, Caller } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { endAutomationRun, stoppedBy } from "./end-automation-runs.ts";
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
  const { automationId } = await getAutomationRunRow(deps, caller, { id });
  await deps.db.transaction((tx) =>
    endAutomationRun({ ...deps, tx }, { id, automationId }, stoppedBy(caller)),
  );
  return getAutomationRun(deps, caller, { id });
}
