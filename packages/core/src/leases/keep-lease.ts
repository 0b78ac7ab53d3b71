import type { NoticeChannel } from "@querybell/db";
import type { Deps } from "../deps.ts";

const pulseMs = 1000;

interface LeaseToKeep {
  runId: string;
  /** On which others tell that the run is to stop. */
  channel: NoticeChannel;
  /** Renews the lease; false when the run is to stop, or is in other hands. */
  renew: () => Promise<boolean>;
  onError: (error: unknown) => void;
}

export interface KeptLease {
  /** Aborted when the run is to stop, or is in other hands. */
  signal: AbortSignal;
  stop(): Promise<void>;
}

/** Once a second while a run goes on, and whenever somebody says that it is to stop. */
export function keepLease(
  { db }: Pick<Deps, "db">,
  { runId, channel, renew, onError }: LeaseToKeep,
): KeptLease {
  const stopper = new AbortController();
  const pulse = async () => {
    try {
      if (!(await renew())) stopper.abort();
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
  const unsubscribe = db.notices.subscribe(channel, (id) => {
    if (id === undefined || id === runId) pulseNow();
  });
  return {
    signal: stopper.signal,
    async stop() {
      clearInterval(timer);
      unsubscribe();
      await pulsing;
    },
  };
}
