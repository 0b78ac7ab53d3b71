import type { Deps } from "../deps.ts";
import { leaseSeconds } from "./terms.ts";

/** Who claims a run, and from which organizations it may be. */
export interface Claim {
  workerId: string;
  /** Organizations whose runs the worker does not take now. */
  excludedOrganizations: readonly string[];
  /** Most runs at once, counted over all workers; null for no ceiling. */
  organizationCeiling: number | null;
  totalCeiling: number | null;
  /** Where to start comparing organizations: the one from which the worker claimed last. */
  afterOrganization: string | null;
}

/** Claims the next run in fair order with one of the database's two functions for it; undefined when none may run. */
export async function claimWith<Row extends object>(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { claim: name, columns }: { claim: "claim_query_run" | "claim_automation_run"; columns: string },
  claim: Claim,
): Promise<Row | undefined> {
  const { workerId, excludedOrganizations, organizationCeiling, totalCeiling, afterOrganization } = claim;
  const { rows } = await db.pool.query<Row>({
    name,
    text: `SELECT ${columns} FROM ${name}($1, $2, ${leaseSeconds}, $3, $4, $5, $6)`,
    values: [
      workerId,
      clock.now(),
      excludedOrganizations,
      organizationCeiling,
      totalCeiling,
      afterOrganization,
    ],
  });
  return rows[0];
}
