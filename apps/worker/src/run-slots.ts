import type { Deps } from "@querybell/core";
import {
  type ClaimedAutomationRun,
  claimAutomationRun,
  executeAutomationRun,
} from "@querybell/core/automations";
import { type ClaimedQueryRun, claimQueryRun, executeRun } from "@querybell/core/runs";
import { newId } from "@querybell/domain";
import type { Logger } from "pino";
import type { WorkerSettings } from "./env.ts";

interface RunSlotsOptions {
  deps: Deps;
  logger: Logger;
  settings: WorkerSettings;
  pollEveryMs: number;
  /** Called for each run that has ended: `completed`, or the code of its failure. */
  onEnd: (kind: "query" | "automation", outcome: string) => void;
}

/** How long runs may continue after `stop` before they are aborted. Short, because another worker can continue them. */
const graceMs = 5_000;

/**
 * Starts separate slots for query runs and for automation runs. Automation runs wait for query runs, so shared slots
 * could deadlock.
 */
export function startRunSlots({ deps, logger, settings, pollEveryMs, onEnd }: RunSlotsOptions): Slots {
  const workerId = `worker-${newId(deps.clock)}`;
  const common = { notices: deps.db.notices, pollEveryMs };
  const logError = (why: string) => (error: unknown) => logger.error(error, why);
  const queries = startSlots<ClaimedQueryRun>({
    ...common,
    count: settings.WORKER_RUN_CONCURRENCY,
    channel: "querybell_run_waiting",
    claim: claimRoundRobin(claimQueryRun, deps, {
      workerId,
      organizationCeiling: settings.MAX_QUERY_RUNS_PER_ORGANIZATION,
      totalCeiling: settings.MAX_QUERY_RUNS ?? null,
    }),
    execute: (run, signal) =>
      executeRun(deps, run, {
        signal,
        onError: logError("could not renew the lease of a run"),
        onEnd: (outcome) => onEnd("query", outcome),
      }),
    onError: logError("could not claim or execute a run"),
  });
  const automations = startSlots<ClaimedAutomationRun>({
    ...common,
    count: settings.WORKER_AUTOMATION_CONCURRENCY,
    channel: "querybell_automation_run_waiting",
    claim: claimRoundRobin(claimAutomationRun, deps, {
      workerId,
      organizationCeiling: settings.MAX_AUTOMATION_RUNS_PER_ORGANIZATION,
      totalCeiling: settings.MAX_AUTOMATION_RUNS ?? null,
    }),
    execute: (run, signal) =>
      executeAutomationRun(deps, run, {
        signal,
        onError: logError("an automation run failed with an error"),
        onEnd: (outcome) => onEnd("automation", outcome),
      }),
    onError: logError("could not claim or execute an automation run"),
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
  const { count, notices, channel, pollEveryMs, claim, execute, onError } = options;
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
