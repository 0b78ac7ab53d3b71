import type { Caller } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { triggerOf } from "../../runs/start-run.ts";
import { namedRunColumns, type NamedRunRow } from "../runs/automation-run-row.ts";
import { runNotFound } from "../runs/get-automation-run.ts";
import { claimLost } from "../runs/write-step.ts";

interface NamedClaim {
  runId: string;
  claimNumber: number;
}

export interface ClaimedRunRow extends NamedRunRow {
  organizationId: string;
  leaseNumber: number;
  leaseHolder: string;
}

/** Gets the run that the caller has claimed. The write that follows must check the claim number again. */
export async function getClaimedRun(
  { db }: Pick<Deps, "db">,
  caller: Caller,
  { runId, claimNumber }: NamedClaim,
): Promise<ClaimedRunRow> {
  const { rows } = await db.pool.query<ClaimedRunRow>({
    name: "get_claimed_run",
    text: `
      SELECT ${namedRunColumns}, organization_id AS "organizationId", lease_number AS "leaseNumber",
        lease_holder AS "leaseHolder"
      FROM automation_runs WHERE id = $1 AND organization_id = $2`,
    values: [runId, caller.organizationId],
  });
  const [run] = rows;
  if (!run) throw runNotFound();
  const isClaimedByCaller = run.leaseNumber === claimNumber && run.leaseHolder === triggerOf(caller);
  if (run.agent !== "external" || run.status !== "running" || !isClaimedByCaller) throw claimLost();
  return run;
}
