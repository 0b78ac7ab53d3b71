import {
  AppError,
  type Caller,
  type Claim,
  type ClaimRun,
  type RenewClaim,
  type RenewedClaim,
} from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { renewLease } from "../../leases/renew-lease.ts";
import { triggerOf } from "../../runs/insert-run.ts";
import { getAutomation } from "../get-automation.ts";
import { toAutomationRun } from "../runs/automation-run-row.ts";
import { claimExternalRun } from "../runs/claim-automation-run.ts";
import { getAutomationRunRow } from "../runs/get-automation-run.ts";
import { firstSteps } from "../runs/read-transcript.ts";
import { claimLost } from "../runs/write-step.ts";
import { getClaimedRun } from "./get-claimed-run.ts";

/** Claims a waiting run for an external agent, or one whose lease has expired. Null when there is none. */
export async function claimRun(
  deps: Deps,
  caller: Caller,
  { automationId, leaseSeconds: seconds }: ClaimRun,
): Promise<Claim | null> {
  const { organizationId } = caller;
  if (automationId !== undefined) await requireExternalAgent(deps, caller, automationId);
  const claimed = await claimExternalRun(deps, {
    organizationId,
    automationId,
    holder: triggerOf(caller),
    seconds,
  });
  if (!claimed) return null;
  const run = await getAutomationRunRow(deps, caller, { id: claimed.id });
  const { items: steps, nextCursor } = await firstSteps(deps, { runId: claimed.id, organizationId });
  return {
    run: toAutomationRun(deps, run),
    brief: claimed.brief,
    claimNumber: claimed.leaseNumber,
    leaseUntil: claimed.leaseUntil.toISOString(),
    deadlineAt: claimed.deadlineAt.toISOString(),
    steps,
    ...(nextCursor !== undefined && { stepsCursor: nextCursor }),
  };
}

/** Runs keep the agent they were triggered with, so an external run may wait after the automation was changed. */
async function requireExternalAgent(deps: Deps, caller: Caller, automationId: string): Promise<void> {
  const { agent } = await getAutomation(deps, caller, { id: automationId });
  if (agent === "external") return;
  const unfinished = await deps.db.prisma.automationRun.findFirst({
    where: { automationId, agent: "external", status: { in: ["pending", "running"] } },
  });
  if (unfinished) return;
  throw new AppError(
    "conflict",
    `The agent of this automation is ${agent}, so none of its runs is claimed. Change it to external, or claim of another automation.`,
  );
}

/** Extends the lease of a claimed run: the heartbeat of an external agent. */
export async function renewClaim(
  deps: Deps,
  caller: Caller,
  { leaseSeconds, ...claim }: RenewClaim,
): Promise<RenewedClaim> {
  const { id, leaseNumber } = await getClaimedRun(deps, caller, claim);
  const renewed = await renewLease(
    deps,
    { table: "automation_runs", id, leaseNumber },
    { seconds: leaseSeconds },
  );
  if (!renewed) throw claimLost();
  return { leaseUntil: renewed.leaseUntil.toISOString() };
}
