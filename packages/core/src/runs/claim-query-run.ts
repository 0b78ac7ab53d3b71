import type { Deps } from "../deps.ts";
import { type Claim, claimNextRun } from "../leases/claim-next-run.ts";
import type { RunLease } from "../leases/run-lease.ts";

/** A query run that a worker has claimed, as read from the run's row. */
export interface ClaimedQueryRun extends RunLease {
  organizationId: string;
  queryId: string;
  queryVersion: number;
  isCancelRequested: boolean;
  /** How often a worker died with it, and so its engine host. */
  hostDeaths: number;
  statement: unknown;
  /** The trace in which it was started; null without tracing. */
  traceContext: string | null;
}

const columns = `id, organization_id AS "organizationId", query_id AS "queryId", query_version AS "queryVersion",
  lease_number AS "leaseNumber", host_deaths AS "hostDeaths", cancel_requested_at IS NOT NULL AS "isCancelRequested", statement,
  trace_context AS "traceContext"`;

// A worker looks for the next run whenever one starts or ends, and mostly there is none.
const condition = `EXISTS (SELECT FROM query_runs WHERE status = 'pending')
  OR EXISTS (SELECT FROM query_runs WHERE status = 'running' AND lease_until < now())`;

export async function claimQueryRun(
  deps: Pick<Deps, "db" | "clock">,
  claim: Claim,
): Promise<ClaimedQueryRun | undefined> {
  const run = await claimNextRun<ClaimedQueryRun>(deps, { table: "query_runs", columns, condition }, claim);
  if (run) deps.db.notices.publish("querybell_run_changed", [run.id]);
  return run;
}
