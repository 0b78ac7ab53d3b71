import type { Deps } from "@querybell/core";

type Notices = Deps["db"]["notices"];

interface SlotsOptions<Run> {
  /** How many runs this process executes at once. */
  count: number;
  notices: Notices;
  /** On which others tell that a run waits. */
  channel: Parameters<Notices["subscribe"]>[0];
  pollEveryMs: number;
  /** How long runs may go on when the worker stops, before they are aborted. */
  graceMs: number;
  /** Takes the next run, of none of these organizations. */
  claim: (excludedOrganizations: readonly string[]) => Promise<Run | undefined>;
  execute: (run: Run, signal: AbortSignal) => Promise<void>;
  onError: (error: unknown) => void;
}

export interface Slots {
  /** Claims nothing more, and resolves when every run has ended or is given back. */
  stop(): Promise<void>;
}

/**
 * Executes runs as long as there are some and slots are free. The last free slot is kept for an organization that
 * has no run here: one organization alone never makes all others wait.
 */
export function startSlots<Run extends { organizationId: string }>(options: SlotsOptions<Run>): Slots {
  const { count, notices, channel, pollEveryMs, graceMs, claim, execute, onError } = options;
  const running = new Map<Promise<void>, string>();
  const aborter = new AbortController();
  let isStopping = false;
  let hasNews = false;
  let filling: Promise<void> | undefined;

  const excluded = () =>
    running.size > 0 && running.size === count - 1 ? [...new Set(running.values())] : [];

  function start(run: Run): void {
    const work = execute(run, aborter.signal)
      .catch(onError)
      .finally(() => {
        running.delete(work);
        look();
      });
    running.set(work, run.organizationId);
  }

  async function fill(): Promise<void> {
    try {
      while (running.size < count && !isStopping) {
        const run = await claim(excluded());
        if (!run) break;
        start(run);
      }
    } catch (error) {
      // The next poll tries again.
      onError(error);
    }
  }

  function look(): void {
    if (isStopping) return;
    // A claim under way may not see what this is about, so another one follows.
    hasNews = filling !== undefined;
    filling ??= fill().finally(() => {
      filling = undefined;
      if (hasNews) look();
    });
  }

  const unsubscribe = notices.subscribe(channel, look);
  const poll = setInterval(look, pollEveryMs);
  look();

  return {
    async stop() {
      isStopping = true;
      clearInterval(poll);
      unsubscribe();
      await filling;
      const patience = setTimeout(() => aborter.abort(), graceMs);
      await Promise.all(running.keys());
      clearTimeout(patience);
    },
  };
}
