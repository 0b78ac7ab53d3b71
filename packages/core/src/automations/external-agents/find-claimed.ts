import type { Prisma } from "@querybell/db";
import type { Caller } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { triggerOf } from "../../runs/insert-run.ts";
import { findAutomationRun } from "../runs/find-automation-run.ts";
import { claimLost } from "../runs/write-step.ts";

interface NamedClaim {
  runId: string;
  claimNumber: number;
}

/** The run that the caller has claimed. The write that follows names the number again: that one decides. */
export async function findClaimed(
  deps: Pick<Deps, "db">,
  caller: Caller,
  { runId, claimNumber }: NamedClaim,
): Promise<Prisma.AutomationRunModel> {
  const run = await findAutomationRun(deps, caller, { id: runId });
  const isTheirs = run.leaseNumber === claimNumber && run.leaseHolder === triggerOf(caller);
  if (run.agent !== "external" || run.status !== "running" || !isTheirs) throw claimLost();
  return run;
}
