import type { AutomationStep, Caller, ListClaimedSteps, Page } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { listSteps } from "../runs/read-transcript.ts";
import { findClaimed } from "./find-claimed.ts";

/** What earlier agents have written, for the agent that goes on with it. */
export async function listClaimedSteps(
  deps: Deps,
  caller: Caller,
  { runId, claimNumber, ...page }: ListClaimedSteps,
): Promise<Page<AutomationStep>> {
  await findClaimed(deps, caller, { runId, claimNumber });
  return listSteps(deps, caller, { runId, ...page });
}
