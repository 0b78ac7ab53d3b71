import type { EngineProgress } from "@querybell/domain";
import type { Deps } from "./deps.ts";

// Leases expire by real time, so they use now() and not querybell_now(), which tests move.
export const leaseSeconds = 15;
const renewEveryMs = 1000;

/** How often a run may be started, for whatever reason it did not end. */
export const maxAttempts = 5;

/** How many workers may die with a query run and its engine host. The statement may be the cause. */
export const maxHostDeaths = 2;

/** The right to execute a run and to record its outcome, until another worker claims the run. */
export interface RunLease {
  id: string;
  /** The fencing token. Each claim increments it, and only the newest number may write. */
  leaseNumber: number;
}

/** Query runs and automation runs have the same lease columns. They differ in these names. */
const runTables = {
  query_runs: {
    claimFunction: "claim_query_run",
    waitingChannel: "querybell_run_waiting",
    endChannel: "querybell_run_cancelled",
  },
  automation_runs: {
    claimFunction: "claim_automation_run",
    waitingChannel: "querybell_automation_run_waiting",
    endChannel: "querybell_automation_run_ended",
  },
} as const;

type RunTable = keyof typeof runTables;

export const hasAttemptsLeft = ({ leaseNumber }: RunLease): boolean => leaseNumber <= maxAttempts;

/** The text of the failure `worker_lost`. */
export const workerLostText = (attempts: number, advice: string): string =>
  `The run was begun ${attempts} times, and each time the worker ended before it. ${advice}`;

/** The worker that claims a run, and the organizations it may claim from. */
export interface RunClaimer {
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
  /** SQL: what else is read. */
  join?: string;
  /** SQL that does not depend on the claimed run. Nothing is claimed, or locked, if it is false. */
  condition?: string;
}

/**
 * Claims the next run in fair order: a pending run, or a running one whose lease has expired. Undefined when no run
 * may start.
 */
export async function claimNextRun<Row extends object>(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { table, columns, join = "", condition = "true" }: ClaimedTable,
  claimer: RunClaimer,
): Promise<Row | undefined> {
  const { workerId, excludedOrganizations, organizationCeiling, totalCeiling, afterOrganization } = claimer;
  const name = runTables[table].claimFunction;
  const { rows } = await db.pool.query<Row>({
    name,
    text: `SELECT ${columns} FROM ${name}($1, $2, ${leaseSeconds}, $3, $4, $5, $6) ${join} WHERE ${condition}`,
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

interface LeaseToKeep extends RunLease {
  table: RunTable;
  /** Whether the run has passed its deadline. */
  isLate?: () => boolean;
  /** Recorded with each renewal of a query run's lease. */
  progress?: () => RunProgress;
  onError: (error: unknown) => void;
}

interface KeptLease {
  /** Aborted when the run is cancelled, is late or has ended, or when another worker holds the lease. */
  signal: AbortSignal;
  stop(): Promise<void>;
}

/** Renews a lease once a second, and at once when a cancellation is announced. */
export function keepLease(
  { db }: Pick<Deps, "db">,
  { isLate = () => false, progress, onError, ...lease }: LeaseToKeep,
): KeptLease {
  const controller = new AbortController();
  const renewOnce = async () => {
    try {
      const renewed = await renewLease({ db }, lease, { progress: progress?.() });
      if (!renewed || renewed.isCancelRequested || isLate()) controller.abort();
    } catch (error) {
      // Try again in a second. If renewing keeps failing the lease expires, and the result is not written.
      onError(error);
    }
  };
  let renewing = Promise.resolve();
  const renewNow = () => {
    renewing = renewing.then(renewOnce);
  };
  const timer = setInterval(renewNow, renewEveryMs);
  const unsubscribe = db.notices.subscribe(runTables[lease.table].endChannel, (id) => {
    if (id === undefined || id === lease.id) renewNow();
  });
  return {
    signal: controller.signal,
    async stop() {
      clearInterval(timer);
      unsubscribe();
      await renewing;
    },
  };
}

/** The progress of a query run: its rows so far, and the report of the engine. */
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
    // Otherwise the next claim counts a death of the run's engine host.
    release: ", released_lease = lease_number",
  },
  automation_runs: { assignment: "", isCancelRequested: "false", release: "" },
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

/** Expires a lease early and notifies the workers, so that one of them claims the run at once. */
export async function releaseLease(
  { db }: Pick<Deps, "db">,
  { table, id, leaseNumber }: RunLease & { table: RunTable },
): Promise<void> {
  await db.pool.query({
    name: `release_lease_of_${table}`,
    text: `
      WITH released AS (
        UPDATE ${table} SET lease_until = now() - interval '1 second'${columns[table].release}
        WHERE id = $1 AND lease_number = $2 AND status = 'running' RETURNING id
      )
      SELECT pg_notify('${runTables[table].waitingChannel}', id::text) FROM released`,
    values: [id, leaseNumber],
  });
}
