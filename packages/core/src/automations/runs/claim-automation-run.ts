import { type AutomationAgent, AutomationBrief } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { claimNextRun, type RunClaimer, type RunLease } from "../../leases.ts";

/** An automation run that a worker or an external agent has claimed. */
export interface ClaimedAutomationRun extends RunLease {
  organizationId: string;
  automationId: string;
  shortId: string;
  agent: AutomationAgent;
  deadlineAt: Date;
  leaseUntil: Date;
  brief: AutomationBrief;
  /** The trace in which it was triggered; null without tracing. */
  traceContext: string | null;
}

interface ClaimedRow extends Omit<ClaimedAutomationRun, "brief"> {
  brief: unknown;
}

const columns = `id, organization_id AS "organizationId", automation_id AS "automationId", short_id AS "shortId",
  agent, lease_number AS "leaseNumber", deadline_at AS "deadlineAt", lease_until AS "leaseUntil", brief,
  trace_context AS "traceContext"`;

const toClaimedRun = (row: ClaimedRow | undefined): ClaimedAutomationRun | undefined =>
  row && { ...row, brief: AutomationBrief.parse(row.brief) };

/** Claims a run for a worker. */
export const claimAutomationRun = async (
  deps: Pick<Deps, "db" | "clock">,
  claimer: RunClaimer,
): Promise<ClaimedAutomationRun | undefined> =>
  toClaimedRun(await claimNextRun<ClaimedRow>(deps, { table: "automation_runs", columns }, claimer));
