import type { Deps } from "../deps.ts";
import { leaseSeconds, type RunTable, runTables } from "./run-lease.ts";

/** The worker that claims a run, and the organizations it may claim from. */
export interface Claim {
  workerId: string;
  /** Organizations to skip. */
  excludedOrganizations: readonly string[];
  /** Maximum concurrent runs over all workers; null for no limit. */
  organizationCeiling: number | null;
  totalCeiling: number | null;
  /** The organization of this worker's previous claim. The round-robin starts after it. */
  afterOrganization: string | null;
}

interface ClaimedTable {
  table: RunTable;
  columns: string;
  /** SQL that does not depend on the claimed run. Nothing is claimed, or locked, if it is false. */
  condition?: string;
}

/**
 * Claims the next run in fair order: a pending run, or a running one whose lease has expired. Undefined when no run
 * may start.
 */
export async function claimNextRun<Row extends object>(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { table, columns, condition = "true" }: ClaimedTable,
  claim: Claim,
): Promise<Row | undefined> {
  const { workerId, excludedOrganizations, organizationCeiling, totalCeiling, afterOrganization } = claim;
  const name = runTables[table].claimFunction;
  const { rows } = await db.pool.query<Row>({
    name,
    text: `SELECT ${columns} FROM ${name}($1, $2, ${leaseSeconds}, $3, $4, $5, $6) WHERE ${condition}`,
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
