import type { EngineProgress } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { type KeptLease, keepLease } from "../leases/keep-lease.ts";
import { type Lease, type RunProgress, renewLease } from "./lease.ts";

interface KeptRunLease extends KeptLease {
  progress(rows: number, engine?: EngineProgress): void;
}

/** While a run goes on: renews its lease, writes its progress, and sees whether it is cancelled. */
export function keepRunLease(
  deps: Pick<Deps, "db">,
  lease: Lease,
  onError: (error: unknown) => void,
): KeptRunLease {
  let progress: RunProgress = { rows: 0 };
  const kept = keepLease(deps, {
    runId: lease.runId,
    channel: "querybell_run_cancelled",
    async renew() {
      const held = await renewLease(deps, lease, progress);
      return held !== undefined && !held.cancelRequested;
    },
    onError,
  });
  return {
    ...kept,
    signal: lease.cancelRequested ? AbortSignal.abort() : kept.signal,
    progress: (rows, engine) => {
      progress = { rows, engine };
    },
  };
}
