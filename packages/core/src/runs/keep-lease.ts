import type { Deps } from "../deps.ts";
import { type KeptLease, keepLease } from "../leases/keep-lease.ts";
import { type Lease, renewLease } from "./lease.ts";

interface KeptRunLease extends KeptLease {
  progress(rows: number): void;
}

/** While a run goes on: renews its lease, writes its progress, and sees whether it is cancelled. */
export function keepRunLease(
  deps: Pick<Deps, "db">,
  lease: Lease,
  onError: (error: unknown) => void,
): KeptRunLease {
  let rows = 0;
  const kept = keepLease(deps, {
    runId: lease.runId,
    channel: "querybell_run_cancelled",
    async renew() {
      const held = await renewLease(deps, lease, rows);
      return held !== undefined && !held.cancelRequested;
    },
    onError,
  });
  return {
    ...kept,
    signal: lease.cancelRequested ? AbortSignal.abort() : kept.signal,
    progress: (count) => {
      rows = count;
    },
  };
}
