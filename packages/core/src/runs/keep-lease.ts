import type { Deps } from "../deps.ts";
import { type Lease, renewLease } from "./lease.ts";

const pulseMs = 1000;

interface KeptLease {
  /** Aborted when the run is to stop: cancelled, or in other hands. */
  signal: AbortSignal;
  progress(rows: number): void;
  stop(): Promise<void>;
}

/** Once a second while a run goes on: renews its lease, writes its progress, and sees whether it is cancelled. */
export function keepLease(
  deps: Pick<Deps, "db">,
  lease: Lease,
  onError: (error: unknown) => void,
): KeptLease {
  const stopper = new AbortController();
  let rows = 0;

  const pulse = async () => {
    try {
      const held = await renewLease(deps, lease, rows);
      if (!held || held.cancelRequested) stopper.abort();
    } catch (error) {
      // The next pulse may get through. If none does, the lease runs out and whatever we find is not written.
      onError(error);
    }
  };
  let pulsing = Promise.resolve();
  const pulseNow = () => {
    pulsing = pulsing.then(pulse);
  };
  const timer = setInterval(pulseNow, pulseMs);
  const unsubscribe = deps.db.notices.subscribe("querybell_run_cancelled", (id) => {
    if (id === undefined || id === lease.runId) pulseNow();
  });
  if (lease.cancelRequested) stopper.abort();

  return {
    signal: stopper.signal,
    progress: (count) => {
      rows = count;
    },
    async stop() {
      clearInterval(timer);
      unsubscribe();
      await pulsing;
    },
  };
}
