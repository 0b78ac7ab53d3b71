import { type AutomationAgent, AutomationBrief } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { type Claim, claimWith } from "../../leases/claim.ts";
import { leaseSeconds, maxAttempts } from "../../leases/lease-limits.ts";

/** A run in somebody's hands: the right to write about it, until somebody else has taken it. */
export interface HeldRun {
  id: string;
  organizationId: string;
  automationId: string;
  agent: AutomationAgent;
  leaseNumber: number;
  deadlineAt: Date;
  leaseUntil: Date;
  brief: AutomationBrief;
}

interface HeldRow extends Omit<HeldRun, "brief"> {
  brief: unknown;
}

const columns = `id, organization_id AS "organizationId", automation_id AS "automationId", agent,
  lease_number AS "leaseNumber", deadline_at AS "deadlineAt", lease_until AS "leaseUntil", brief`;

const toHeld = (row: HeldRow | undefined): HeldRun | undefined =>
  row && { ...row, brief: AutomationBrief.parse(row.brief) };

/** For a worker: the next run that waits, or whose worker has not been heard of. */
export const claimAutomationRun = async (
  deps: Pick<Deps, "db" | "clock">,
  claim: Claim,
): Promise<HeldRun | undefined> =>
  toHeld(await claimWith<HeldRow>(deps, { claim: "claim_automation_run", columns }, claim));

interface Offer {
  organizationId: string;
  automationId: string | undefined;
  holder: string;
  seconds: number;
}

/** For an external agent: the run that has waited longest for one, or whose agent fell silent. */
export async function takeOfferedRun(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { organizationId, automationId, holder, seconds }: Offer,
): Promise<HeldRun | undefined> {
  const { rows } = await db.pool.query<HeldRow>({
    name: "take_offered_run",
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
  return toHeld(rows[0]);
}

type Token = Pick<HeldRun, "id" | "leaseNumber">;

/** Undefined when the lease is lost: the run has ended, or is in other hands. */
export async function renewAutomationLease(
  { db }: Pick<Deps, "db">,
  { id, leaseNumber }: Token,
  seconds = leaseSeconds,
): Promise<Date | undefined> {
  const { rows } = await db.pool.query<{ leaseUntil: Date }>({
    name: "renew_automation_lease",
    text: `
      UPDATE automation_runs SET lease_until = now() + make_interval(secs => $3)
      WHERE id = $1 AND lease_number = $2 AND status = 'running' RETURNING lease_until AS "leaseUntil"`,
    values: [id, leaseNumber, seconds],
  });
  return rows[0]?.leaseUntil;
}
