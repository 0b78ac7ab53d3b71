import type { NoticeChannel } from "@querybell/db";
import type { Deps } from "../deps.ts";

const renewEveryMs = 1000;

interface LeaseToKeep {
  runId: string;
  /** The channel on which a cancellation is announced. */
  channel: NoticeChannel;
  /** Renews the lease. False when the run was cancelled or another worker holds the lease. */
  renew: () => Promise<boolean>;
  onError: (error: unknown) => void;
}

export interface KeptLease {
  /** Aborted when the run was cancelled or another worker holds the lease. */
  signal: AbortSignal;
  stop(): Promise<void>;
}

/** Renews a lease once a second, and at once when a cancellation is announced. */
export function keepLease(
  { db }: Pick<Deps, "db">,
  { runId, channel, renew, onError }: LeaseToKeep,
): KeptLease {
  const controller = new AbortController();
  const renewOnce = async () => {
    try {
      if (!(await renew())) controller.abort();
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
  const unsubscribe = db.notices.subscribe(channel, (id) => {
    if (id === undefined || id === runId) renewNow();
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
