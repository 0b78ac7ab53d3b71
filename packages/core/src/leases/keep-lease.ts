import type { Deps } from "../deps.ts";
import { type RunProgress, renewLease } from "./renew-lease.ts";
import { type RunLease, type RunTable, runTables } from "./run-lease.ts";

const renewEveryMs = 1000;

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
