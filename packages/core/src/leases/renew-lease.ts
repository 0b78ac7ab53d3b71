import type { EngineProgress } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { leaseSeconds, type RunLease, type RunTable } from "./run-lease.ts";

/** How far a query run is: its rows so far, and what the engine itself says. */
export interface RunProgress {
  rows: number;
  engine?: EngineProgress | undefined;
}

interface Renewal {
  seconds?: number;
  /** Only query runs record it. */
  progress?: RunProgress | undefined;
}

interface RenewedLease {
  leaseUntil: Date;
  isCancelRequested: boolean;
}

// An automation run that is stopped ends at once, so its lease is lost instead of cancelled.
const columns = {
  query_runs: {
    assignment:
      ", progress_rows = coalesce($4, progress_rows), engine_progress = coalesce($5, engine_progress)",
    isCancelRequested: "cancel_requested_at IS NOT NULL",
  },
  automation_runs: { assignment: "", isCancelRequested: "false" },
};

/** Extends a lease. Undefined when it is lost: the run has ended, or another worker has claimed it. */
export async function renewLease(
  { db }: Pick<Deps, "db">,
  { table, id, leaseNumber }: RunLease & { table: RunTable },
  { seconds = leaseSeconds, progress }: Renewal = {},
): Promise<RenewedLease | undefined> {
  const { assignment, isCancelRequested } = columns[table];
  const engineProgress = progress?.engine ? JSON.stringify(progress.engine) : null;
  const recorded = table === "query_runs" ? [progress?.rows ?? null, engineProgress] : [];
  const { rows } = await db.pool.query<RenewedLease>({
    name: `renew_lease_of_${table}`,
    text: `
      UPDATE ${table} SET lease_until = now() + make_interval(secs => $3)${assignment}
      WHERE id = $1 AND lease_number = $2 AND status = 'running'
      RETURNING lease_until AS "leaseUntil", ${isCancelRequested} AS "isCancelRequested"`,
    values: [id, leaseNumber, seconds, ...recorded],
  });
  return rows[0];
}
