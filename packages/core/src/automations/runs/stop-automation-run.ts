import type { AutomationRun, AutomationRunId, Caller } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { endAutomationRun, stoppedBy } from "./end-automation-runs.ts";
import { findAutomationRun, getAutomationRun } from "./find-automation-run.ts";

/**
 * Ends a run at once, whoever has it in hand: that one notices when it next looks or writes. A run that has
 * ended stays as it is.
 */
export async function stopAutomationRun(
  deps: Deps,
  caller: Caller,
  { id }: AutomationRunId,
): Promise<AutomationRun> {
  const { automationId } = await findAutomationRun(deps, caller, { id });
  await deps.db.transaction((tx) =>
    endAutomationRun({ ...deps, tx }, { id, automationId }, stoppedBy(caller)),
  );
  return getAutomationRun(deps, caller, { id });
}
