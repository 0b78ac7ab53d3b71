import type { Deps } from "@querybell/core";
import { claimAutomationRun, executeAutomationRun, type HeldRun } from "@querybell/core/automations";
import { claimQueryRun, executeRun, type Lease } from "@querybell/core/runs";
import { newId } from "@querybell/domain";
import type { Logger } from "pino";
import type { WorkerSettings } from "./env.ts";
import { type Slots, startSlots } from "./slots.ts";

interface RunSlotsOptions {
  deps: Deps;
  logger: Logger;
  settings: WorkerSettings;
  pollEveryMs: number;
}

// Another worker can begin a run again at any time: there is little to wait for.
const graceMs = 5_000;

/**
 * Slots for runs of queries, and others for runs of automations. Those wait for query runs: in the same slots they
 * could wait for each other for ever.
 */
export function startRunSlots({ deps, logger, settings, pollEveryMs }: RunSlotsOptions): Slots {
  const workerId = `worker-${newId(deps.clock)}`;
  const common = { notices: deps.db.notices, pollEveryMs, graceMs };
  const ended = (why: string) => (error: unknown) => logger.error(error, why);
  const queries = startSlots<Lease>({
    ...common,
    count: settings.WORKER_RUN_CONCURRENCY,
    channel: "querybell_run_waiting",
    claim: inTurn(claimQueryRun, deps, {
      workerId,
      organizationCeiling: settings.MAX_QUERY_RUNS_PER_ORGANIZATION,
      totalCeiling: settings.MAX_QUERY_RUNS ?? null,
    }),
    execute: (lease, signal) =>
      executeRun(deps, lease, { signal, onError: ended("could not renew the lease of a run") }),
    onError: ended("could not claim or execute a run"),
  });
  const automations = startSlots<HeldRun>({
    ...common,
    count: settings.WORKER_AUTOMATION_CONCURRENCY,
    channel: "querybell_automation_run_waiting",
    claim: inTurn(claimAutomationRun, deps, {
      workerId,
      organizationCeiling: settings.MAX_AUTOMATION_RUNS_PER_ORGANIZATION,
      totalCeiling: settings.MAX_AUTOMATION_RUNS ?? null,
    }),
    execute: (run, signal) =>
      executeAutomationRun(deps, run, { signal, onError: ended("an automation's run met an error") }),
    onError: ended("could not claim or execute an automation's run"),
  });
  return {
    async stop() {
      await Promise.all([queries.stop(), automations.stop()]);
    },
  };
}

type Claim = Parameters<typeof claimQueryRun>[1];
type Who = Omit<Claim, "excludedOrganizations" | "afterOrganization">;

/** Every claim starts after the organization of the one before. */
function inTurn<Run extends { organizationId: string }>(
  claim: (deps: Deps, claim: Claim) => Promise<Run | undefined>,
  deps: Deps,
  who: Who,
) {
  let afterOrganization: string | null = null;
  return async (excludedOrganizations: readonly string[]): Promise<Run | undefined> => {
    const run = await claim(deps, { ...who, excludedOrganizations, afterOrganization });
    afterOrganization = run?.organizationId ?? afterOrganization;
    return run;
  };
}
