import { type AutomationAgent, AutomationBrief } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { type Claim, claimNextRun } from "../../leases/claim-next-run.ts";
import { maxAttempts, type RunLease } from "../../leases/run-lease.ts";

/** An automation run that a worker or an external agent has claimed. */
export interface ClaimedAutomationRun extends RunLease {
  organizationId: string;
  automationId: string;
  agent: AutomationAgent;
  deadlineAt: Date;
  leaseUntil: Date;
  brief: AutomationBrief;
}

interface ClaimedRow extends Omit<ClaimedAutomationRun, "brief"> {
  brief: unknown;
}

const columns = `id, organization_id AS "organizationId", automation_id AS "automationId", agent,
  lease_number AS "leaseNumber", deadline_at AS "deadlineAt", lease_until AS "leaseUntil", brief`;

const toClaimedRun = (row: ClaimedRow | undefined): ClaimedAutomationRun | undefined =>
  row && { ...row, brief: AutomationBrief.parse(row.brief) };

/** Claims a run for a worker. */
export const claimAutomationRun = async (
  deps: Pick<Deps, "db" | "clock">,
  claim: Claim,
): Promise<ClaimedAutomationRun | undefined> =>
  toClaimedRun(await claimNextRun<ClaimedRow>(deps, { table: "automation_runs", columns }, claim));

interface ExternalClaim {
  organizationId: string;
  automationId: string | undefined;
  holder: string;
  seconds: number;
}

/** Claims a run for an external agent: the one that has waited longest, or one whose lease has expired. */
export async function claimExternalRun(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { organizationId, automationId, holder, seconds }: ExternalClaim,
): Promise<ClaimedAutomationRun | undefined> {
  const { rows } = await db.pool.query<ClaimedRow>({
    name: "claim_external_run",
    text: `
      UPDATE automation_runs SET status = 'running', started_at = coalesce(started_at, $3),
        deadline_at = coalesce(deadline_at, $3::timestamptz + make_interval(secs => (brief->>'timeLimitSeconds')::int)),
        lease_holder = $1, lease_until = now() + make_interval(secs => $2), lease_number = lease_number + 1
      WHERE id = (
        SELECT id FROM automation_runs
        WHERE organization_id = $4 AND ($5::uuid IS NULL OR automation_id = $5) AND agent = 'external'
          AND ready_at IS NOT NULL AND (status = 'pending' OR (status = 'running' AND lease_until < now()
            AND lease_number < ${maxAttempts} AND deadline_at > $3))
        ORDER BY ready_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING ${columns}`,
    values: [holder, seconds, clock.now(), organizationId, automationId ?? null],
  });
  return toClaimedRun(rows[0]);
}
