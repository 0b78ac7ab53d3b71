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

/** Gets the run that the caller has claimed. The write that follows must check the claim number again. */
export async function getClaimedRun(
  deps: Pick<Deps, "db">,
  caller: Caller,
  { runId, claimNumber }: NamedClaim,
): Promise<Prisma.AutomationRunModel> {
  const run = await getAutomationRunRow(deps, caller, { id: runId });
  const isClaimedByCaller = run.leaseNumber === claimNumber && run.leaseHolder === triggerOf(caller);
  if (run.agent !== "external" || run.status !== "running" || !isClaimedByCaller) throw claimLost();
  return run;
}
