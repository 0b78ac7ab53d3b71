import type { Prisma } from "@querybell/db";
import type { Caller } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { triggerOf } from "../../runs/insert-run.ts";
import { getAutomationRunRow } from "../runs/get-automation-run.ts";
import { claimLost } from "../runs/write-step.ts";

interface NamedClaim {
  runId: string;
  claimNumber: number;
}

/** The run that the caller has claimed. The write that follows names the number again: that one decides. */
export async function getClaimedRun(
  deps: Pick<Deps, "db">,
  caller: Caller,
  { runId, claimNumber }: NamedClaim,
): Promise<Prisma.AutomationRunModel> {
  const run = await getAutomationRunRow(deps, caller, { id: runId });
  const isTheirs = run.leaseNumber === claimNumber && run.leaseHolder === triggerOf(caller);
  if (run.agent !== "external" || run.status !== "running" || !isTheirs) throw claimLost();
  return run;
}
