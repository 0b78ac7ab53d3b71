import type { AutomationRun, Caller, CompleteClaimedRun, FailClaimedRun } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { toEndedRun } from "../runs/automation-run-row.ts";
import { type AutomationEnd, endAutomationRun } from "../runs/end-automation-run.ts";
import { claimLost } from "../runs/write-step.ts";
import { getClaimedRun } from "./get-claimed-run.ts";

export const completeClaimedRun = (
  deps: Deps,
  caller: Caller,
  { summary, ...claim }: CompleteClaimedRun,
): Promise<AutomationRun> => end(deps, caller, { ...claim, end: { kind: "completed", summary } });

export const failClaimedRun = (
  deps: Deps,
  caller: Caller,
  { reason, ...claim }: FailClaimedRun,
): Promise<AutomationRun> =>
  end(deps, caller, { ...claim, end: { kind: "failed", failure: { code: "agent_failed", reason } } });

async function end(
  deps: Deps,
  caller: Caller,
  { end, ...claim }: { runId: string; claimNumber: number; end: AutomationEnd },
): Promise<AutomationRun> {
  const run = await getClaimedRun(deps, caller, claim);
  const completedAt = await endAutomationRun(deps, run, end);
  if (!completedAt) throw claimLost();
  return toEndedRun(deps, { ...run, completedAt, end });
}
