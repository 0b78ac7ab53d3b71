import {
  AppError,
  type AutomationAgent,
  type Caller,
  type Claim,
  type ClaimRun,
  type RenewClaim,
  type RenewedClaim,
} from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { renewLease } from "../../leases.ts";
import { triggerOf } from "../../runs/start-run.ts";
import { toNamedRun } from "../runs/automation-run-row.ts";
import { automationNotFound } from "../runs/insert-automation-run.ts";
import { firstSteps } from "../runs/read-transcript.ts";
import { claimLost } from "../runs/write-step.ts";
import { claimExternalRun } from "./claim-external-run.ts";
import { getClaimedRun } from "./get-claimed-run.ts";

/** Claims a waiting run for an external agent, or one whose lease has expired. Null when there is none. */
export async function claimRun(
  deps: Deps,
  caller: Caller,
  { automationId, leaseSeconds: seconds }: ClaimRun,
): Promise<Claim | null> {
  const { organizationId } = caller;
  const claimed = await claimExternalRun(deps, {
    organizationId,
    automationId,
    holder: triggerOf(caller),
    seconds,
  });
  if (!claimed) {
    if (automationId !== undefined) await requireExternalAgent(deps, caller, automationId);
    return null;
  }
  const { items: steps, nextCursor } = claimed.steps
    ? { items: claimed.steps, nextCursor: undefined }
    : await firstSteps(deps, { runId: claimed.id, organizationId });
  return {
    run: toNamedRun(deps, claimed),
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
  const { rows } = await deps.db.pool.query<{ agent: AutomationAgent; hasExternalRuns: boolean }>({
    name: "find_agent_of_automation",
    text: `
      SELECT agent, EXISTS (
        SELECT FROM automation_runs r
        WHERE r.automation_id = a.id AND r.status IN ('pending', 'running') AND r.agent = 'external') AS "hasExternalRuns"
      FROM automations a WHERE id = $1 AND organization_id = $2 AND deleted_at IS NULL`,
    values: [automationId, caller.organizationId],
  });
  const [automation] = rows;
  if (!automation) throw automationNotFound();
  if (automation.agent === "external" || automation.hasExternalRuns) return;
  throw new AppError(
    "conflict",
    `The agent of this automation is ${automation.agent}, so none of its runs is claimed. Change it to external, or claim of another automation.`,
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
