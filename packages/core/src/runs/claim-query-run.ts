import type { Deps } from "../deps.ts";
import { type Claim, claimNextRun } from "../leases/claim-next-run.ts";
import type { RunLease } from "../leases/run-lease.ts";

/** A query run that a worker has claimed, as read from the run's row. */
export interface ClaimedQueryRun extends RunLease {
  organizationId: string;
  queryId: string;
  queryVersion: number;
  isCancelRequested: boolean;
  statement: unknown;
}

const columns = `id, organization_id AS "organizationId", query_id AS "queryId", query_version AS "queryVersion",
  lease_number AS "leaseNumber", cancel_requested_at IS NOT NULL AS "isCancelRequested", statement`;

export const claimQueryRun = (
  deps: Pick<Deps, "db" | "clock">,
  claim: Claim,
): Promise<ClaimedQueryRun | undefined> => claimNextRun(deps, { table: "query_runs", columns }, claim);
