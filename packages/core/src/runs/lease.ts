import type { EngineProgress } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { type Claim, claimWith } from "../leases/claim.ts";
import { leaseSeconds } from "../leases/lease-limits.ts";

/** The right to execute a run and to write about it, until somebody else has taken it. */
export interface Lease {
  runId: string;
  organizationId: string;
  queryId: string;
  queryVersion: number;
  leaseNumber: number;
  cancelRequested: boolean;
  statement: unknown;
}

/** A lease as it is read from the run's row. */
const leaseColumns = `id AS "runId", organization_id AS "organizationId", query_id AS "queryId",
  query_version AS "queryVersion",
  lease_number AS "leaseNumber", cancel_requested_at IS NOT NULL AS "cancelRequested", statement`;

/** Takes the next run that waits, or whose worker has not been heard of; undefined when there is none to take. */
export const claimQueryRun = (deps: Pick<Deps, "db" | "clock">, claim: Claim): Promise<Lease | undefined> =>
  claimWith(deps, { claim: "claim_query_run", columns: leaseColumns }, claim);

/** How far a run is: its rows so far, and what the engine itself says. */
export interface RunProgress {
  rows: number;
  engine?: EngineProgress | undefined;
}

type Held = Pick<Lease, "runId" | "leaseNumber">;

/** Renews a lease and says how far the run is. Undefined: the lease is lost, and so is the run's result. */
export async function renewLease(
  { db }: Pick<Deps, "db">,
  { runId, leaseNumber }: Held,
  { rows: progressRows, engine }: RunProgress,
): Promise<{ cancelRequested: boolean } | undefined> {
  const { rows } = await db.pool.query<{ cancelRequested: boolean }>({
    name: "renew_run_lease",
    text: `
      UPDATE query_runs SET progress_rows = $3, engine_progress = $4, lease_until = now() + make_interval(secs => ${leaseSeconds})
      WHERE id = $1 AND lease_number = $2 AND status = 'running'
      RETURNING cancel_requested_at IS NOT NULL AS "cancelRequested"`,
    values: [runId, leaseNumber, progressRows, engine ? JSON.stringify(engine) : null],
  });
  return rows[0];
}
