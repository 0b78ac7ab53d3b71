import {
  AppError,
  type Caller,
  type Claim,
  type ClaimRun,
  type RenewClaim,
  type RenewedClaim,
} from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { triggerOf } from "../../runs/insert-run.ts";
import { getAutomation } from "../find-automation.ts";
import { toAutomationRun } from "../runs/automation-run-row.ts";
import { findAutomationRun } from "../runs/find-automation-run.ts";
import { firstSteps } from "../runs/read-transcript.ts";
import { renewAutomationLease, takeOfferedRun } from "../runs/take-automation-run.ts";
import { claimLost } from "../runs/write-step.ts";
import { findClaimed } from "./find-claimed.ts";

/** Gives a waiting run to an external agent, or one whose agent fell silent; null when there is none. */
export async function claimRun(
  deps: Deps,
  caller: Caller,
  { automationId, leaseSeconds: seconds }: ClaimRun,
): Promise<Claim | null> {
  const { organizationId } = caller;
  if (automationId !== undefined) await refuseWithoutExternal(deps, caller, automationId);
  const held = await takeOfferedRun(deps, {
    organizationId,
    automationId,
    holder: triggerOf(caller),
    seconds,
  });
  if (!held) return null;
  const run = await findAutomationRun(deps, caller, { id: held.id });
  const { items: steps, nextCursor } = await firstSteps(deps, { runId: held.id, organizationId });
  return {
    run: toAutomationRun(deps, run),
    brief: held.brief,
    claimNumber: held.leaseNumber,
    leaseUntil: held.leaseUntil.toISOString(),
    deadlineAt: held.deadlineAt.toISOString(),
    steps,
    ...(nextCursor !== undefined && { stepsCursor: nextCursor }),
  };
}

/** Runs keep the agent that they were triggered with: one may wait though its automation has another by now. */
async function refuseWithoutExternal(deps: Deps, caller: Caller, automationId: string): Promise<void> {
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

/** Says that the agent is still at it. */
export async function renewClaim(
  deps: Deps,
  caller: Caller,
  { leaseSeconds, ...claim }: RenewClaim,
): Promise<RenewedClaim> {
  const held = await findClaimed(deps, caller, claim);
  const leaseUntil = await renewAutomationLease(deps, held, leaseSeconds);
  if (!leaseUntil) throw claimLost();
  return { leaseUntil: leaseUntil.toISOString() };
}
