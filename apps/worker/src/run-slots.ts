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
import { type Slots, startSlots } from "./slots.ts";

interface RunSlotsOptions {
  deps: Deps;
  logger: Logger;
  settings: WorkerSettings;
  pollEveryMs: number;
  /** Called for each run that has ended: `completed`, or the code of its failure. */
  onEnd: (kind: "query" | "automation", outcome: string) => void;
}

// Short, because another worker can continue an aborted run.
const graceMs = 5_000;

/**
 * Starts separate slots for query runs and for automation runs. Automation runs wait for query runs, so shared slots
 * could deadlock.
 */
export function startRunSlots({ deps, logger, settings, pollEveryMs, onEnd }: RunSlotsOptions): Slots {
  const workerId = `worker-${newId(deps.clock)}`;
  const common = { notices: deps.db.notices, pollEveryMs, graceMs };
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

type Claim = Parameters<typeof claimQueryRun>[1];
type ClaimLimits = Omit<Claim, "excludedOrganizations" | "afterOrganization">;

/** Claims round-robin: every claim starts after the organization of the previous one. */
function claimRoundRobin<Run extends { organizationId: string }>(
  claim: (deps: Deps, claim: Claim) => Promise<Run | undefined>,
  deps: Deps,
  limits: ClaimLimits,
) {
  let afterOrganization: string | null = null;
  return async (excludedOrganizations: readonly string[]): Promise<Run | undefined> => {
    const run = await claim(deps, { ...limits, excludedOrganizations, afterOrganization });
    afterOrganization = run?.organizationId ?? afterOrganization;
    return run;
  };
}
