// Leases expire by real time, so they use now() and not querybell_now(), which tests move.
export const leaseSeconds = 15;

/** How often a run may be started, for whatever reason it did not end. */
export const maxAttempts = 5;

/** How often a worker may die with a query run, and so its engine host: the statement may be what ends them. */
export const maxHostDeaths = 2;

/** The right to execute a run and to record its outcome, until another worker claims the run. */
export interface RunLease {
  id: string;
  /** The fencing token. Each claim increments it, and only the newest number may write. */
  leaseNumber: number;
}

/** Query runs and automation runs have the same lease columns. They differ in these names. */
export const runTables = {
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

export type RunTable = keyof typeof runTables;

export const hasAttemptsLeft = ({ leaseNumber }: RunLease): boolean => leaseNumber <= maxAttempts;

/** The text of the failure `worker_lost`. */
export const workerLostText = (attempts: number, advice: string): string =>
  `The run was begun ${attempts} times, and each time the worker ended before it. ${advice}`;
