import type { AutomationStep, Caller, ListClaimedSteps, Page } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { listSteps } from "../runs/read-transcript.ts";
import { getClaimedRun } from "./get-claimed-run.ts";

/** Lists the steps of a claimed run, including those of earlier claims. */
export async function listClaimedSteps(
  deps: Deps,
  caller: Caller,
  { runId, claimNumber, ...page }: ListClaimedSteps,
): Promise<Page<AutomationStep>> {
  await getClaimedRun(deps, caller, { runId, claimNumber });
  return listSteps(deps, caller, { runId, ...page });
}
