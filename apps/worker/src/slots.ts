import type { Deps } from "@querybell/core";

type Notices = Deps["db"]["notices"];

interface SlotsOptions<Run> {
  /** The number of runs that this process executes concurrently. */
  count: number;
  notices: Notices;
  /** The channel on which waiting runs are announced. */
  channel: Parameters<Notices["subscribe"]>[0];
  pollEveryMs: number;
  /** How long runs may continue after `stop` before they are aborted. */
  graceMs: number;
  /** Claims the next run, except of these organizations. */
  claim: (excludedOrganizations: readonly string[]) => Promise<Run | undefined>;
  execute: (run: Run, signal: AbortSignal) => Promise<void>;
  onError: (error: unknown) => void;
}

export interface Slots {
  /** Stops claiming. Resolves when every run has ended or is released. */
  stop(): Promise<void>;
}

/**
 * Claims and executes runs while slots are free. The last free slot is reserved for an organization that has no run
 * here, so that one organization cannot block all others.
 */
export function startSlots<Run extends { organizationId: string }>(options: SlotsOptions<Run>): Slots {
  const { count, notices, channel, pollEveryMs, graceMs, claim, execute, onError } = options;
  const running = new Map<Promise<void>, string>();
  const aborter = new AbortController();
  let isStopping = false;
  let mustFillAgain = false;
  let filling: Promise<void> | undefined;

  const excludedOrganizations = () =>
    running.size > 0 && running.size === count - 1 ? [...new Set(running.values())] : [];

  function start(run: Run): void {
    const work = execute(run, aborter.signal)
      .catch(onError)
      .finally(() => {
        running.delete(work);
        fillSlots();
      });
    running.set(work, run.organizationId);
  }

  async function fill(): Promise<void> {
    try {
      while (running.size < count && !isStopping) {
        const run = await claim(excludedOrganizations());
        if (!run) break;
        start(run);
      }
    } catch (error) {
      // The next poll tries again.
      onError(error);
    }
  }

  function fillSlots(): void {
    if (isStopping) return;
    // A claim in progress may miss the new run, so fill again afterwards.
    mustFillAgain = filling !== undefined;
    filling ??= fill().finally(() => {
      filling = undefined;
      if (mustFillAgain) fillSlots();
    });
  }

  const unsubscribe = notices.subscribe(channel, fillSlots);
  const poll = setInterval(fillSlots, pollEveryMs);
  fillSlots();

  return {
    async stop() {
      isStopping = true;
      clearInterval(poll);
      unsubscribe();
      await filling;
      const graceTimer = setTimeout(() => aborter.abort(), graceMs);
      await Promise.all(running.keys());
      clearTimeout(graceTimer);
    },
  };
}
