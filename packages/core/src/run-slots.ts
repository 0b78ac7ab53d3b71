import { newId } from "@querybell/domain";
import {
  type ClaimedAutomationRun,
  claimAutomationRun,
  executeAutomationRun,
} from "./automations/agents/execute-automation-run.ts";
import type { Deps } from "./deps.ts";
import { releaseLease } from "./leases.ts";
import { type ClaimedQueryRun, claimQueryRun } from "./runs/claim-query-run.ts";
import { executeRun } from "./runs/execute-run.ts";
import { isUnavailable, whenAvailable } from "./when-available.ts";

interface RunConcurrency {
  /** The number of runs that this process executes at once. */
  slots: number;
  /** The maximum of one organization, in all processes together. */
  perOrganization: number;
  /** The maximum in all processes together. `null` if only the slots limit it. */
  total: number | null;
}

interface RunSlotsOptions {
  deps: Deps;
  queryRuns: RunConcurrency;
  automationRuns: RunConcurrency;
  /** How often to look for runs without a notice, such as runs of a dead worker. */
  pollEveryMs: number;
  /** Called with an error, and what failed. The slots continue. */
  onError: (error: unknown, what: string) => void;
  /** Called for each run that has ended: `completed`, or the code of its failure. */
  onEnd?: (kind: "query" | "automation", outcome: string) => void;
}

/** How long runs may continue after `stop` before they are aborted. Short, because another worker can continue them. */
const graceMs = 5_000;

/**
 * Starts separate slots for query runs and for automation runs. Automation runs wait for query runs, so shared slots
 * could deadlock.
 */
export function startRunSlots(options: RunSlotsOptions): Slots {
  const { deps, queryRuns, automationRuns, pollEveryMs, onError, onEnd } = options;
  const workerId = `worker-${newId(deps.clock)}`;
  const common = { notices: deps.db.notices, pollEveryMs };
  const claiming = ({ perOrganization, total }: RunConcurrency) => ({
    workerId,
    organizationCeiling: perOrganization,
    totalCeiling: total,
  });
  const queries = startSlots<ClaimedQueryRun>({
    ...common,
    count: queryRuns.slots,
    channel: "querybell_run_waiting",
    claim: claimRoundRobin(claimQueryRun, deps, claiming(queryRuns)),
    execute: (run, signal) =>
      executeRun(deps, run, {
        signal,
        onError: (error) => onError(error, "could not renew the lease of a run"),
        onEnd: (outcome) => onEnd?.("query", outcome),
      }),
    release: (run) => releaseLease(deps, { table: "query_runs", ...run }),
    onError: (error) => onError(error, "could not claim or execute a run"),
  });
  const automations = startSlots<ClaimedAutomationRun>({
    ...common,
    count: automationRuns.slots,
    channel: "querybell_automation_run_waiting",
    claim: claimRoundRobin(claimAutomationRun, deps, claiming(automationRuns)),
    execute: (run, signal) =>
      executeAutomationRun(deps, run, {
        signal,
        onError: (error) => onError(error, "an automation run failed with an error"),
        onEnd: (outcome) => onEnd?.("automation", outcome),
      }),
    release: (run) => releaseLease(deps, { table: "automation_runs", ...run }),
    onError: (error) => onError(error, "could not claim or execute an automation run"),
  });
  return {
    async stop() {
      await Promise.all([queries.stop(), automations.stop()]);
    },
  };
}

type RunClaim = Parameters<typeof claimQueryRun>[1];
type RunLimits = Omit<RunClaim, "excludedOrganizations" | "afterOrganization">;

/** Claims round-robin: every claim starts after the organization of the previous one. */
function claimRoundRobin<Run extends { organizationId: string }>(
  claim: (deps: Deps, claim: RunClaim) => Promise<Run | undefined>,
  deps: Deps,
  limits: RunLimits,
) {
  let afterOrganization: string | null = null;
  return async (excludedOrganizations: readonly string[]): Promise<Run | undefined> => {
    const run = await claim(deps, { ...limits, excludedOrganizations, afterOrganization });
    afterOrganization = run?.organizationId ?? afterOrganization;
    return run;
  };
}

type Notices = Deps["db"]["notices"];

interface SlotsOptions<Run> {
  /** The number of runs that this process executes concurrently. */
  count: number;
  notices: Notices;
  /** The channel on which waiting runs are announced. */
  channel: Parameters<Notices["subscribe"]>[0];
  pollEveryMs: number;
  /** Claims the next run, except of these organizations. */
  claim: (excludedOrganizations: readonly string[]) => Promise<Run | undefined>;
  execute: (run: Run, signal: AbortSignal) => Promise<void>;
  /** Lets any worker claim the run again at once. */
  release: (run: Run) => Promise<void>;
  onError: (error: unknown) => void;
}

interface Slots {
  /** Stops claiming. Resolves when every run has ended or is released. */
  stop(): Promise<void>;
}

/**
 * Claims and executes runs while slots are free. The last free slot is reserved for an organization that has no run
 * here, so that one organization cannot block all others.
 */
function startSlots<Run extends { organizationId: string }>(options: SlotsOptions<Run>): Slots {
  const { count, notices, channel, pollEveryMs, claim, execute, release, onError } = options;
  const running = new Map<Promise<void>, string>();
  const aborter = new AbortController();
  let isStopping = false;
  let mustFillAgain = false;
  let filling: Promise<void> | undefined;

  const excludedOrganizations = () =>
    running.size > 0 && running.size === count - 1 ? [...new Set(running.values())] : [];

  function start(run: Run): void {
    const work = execute(run, aborter.signal)
      .catch((error) => {
        onError(error);
        // The database was away. Otherwise the run would wait for the end of its lease.
        return isUnavailable(error) ? whenAvailable(() => release(run)).catch(onError) : undefined;
      })
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
