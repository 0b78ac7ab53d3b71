import type { Deps } from "../deps.ts";
import { leaseSeconds } from "../leases/terms.ts";

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

/** Takes a run that waits, or whose worker has not been heard of; undefined when there is nothing to take. */
export async function takeLease(
  { db, clock }: Pick<Deps, "db" | "clock">,
  runId: string,
  workerId: string,
): Promise<Lease | undefined> {
  const { rows } = await db.pool.query<Lease>({
    name: "take_run_lease",
    text: `
      UPDATE query_runs SET status = 'running', started_at = coalesce(started_at, $3), lease_worker = $2,
        lease_until = now() + make_interval(secs => ${leaseSeconds}), lease_number = lease_number + 1
      WHERE id = $1 AND (status = 'pending' OR (status = 'running' AND lease_until < now()))
      RETURNING id AS "runId", organization_id AS "organizationId", query_id AS "queryId",
        query_version AS "queryVersion",
        lease_number AS "leaseNumber", cancel_requested_at IS NOT NULL AS "cancelRequested", statement`,
    values: [runId, workerId, clock.now()],
  });
  return rows[0];
}

type Held = Pick<Lease, "runId" | "leaseNumber">;

/** Renews a lease and says how far the run is. Undefined: the lease is lost, and so is the run's result. */
export async function renewLease(
  { db }: Pick<Deps, "db">,
  { runId, leaseNumber }: Held,
  progressRows: number,
): Promise<{ cancelRequested: boolean } | undefined> {
  const { rows } = await db.pool.query<{ cancelRequested: boolean }>({
    name: "renew_run_lease",
    text: `
      UPDATE query_runs SET progress_rows = $3, lease_until = now() + make_interval(secs => ${leaseSeconds})
      WHERE id = $1 AND lease_number = $2 AND status = 'running'
      RETURNING cancel_requested_at IS NOT NULL AS "cancelRequested"`,
    values: [runId, leaseNumber, progressRows],
  });
  return rows[0];
}
