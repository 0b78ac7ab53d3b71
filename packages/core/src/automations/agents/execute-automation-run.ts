import { toAppError } from "@querybell/db";
import { AppError, type AutomationAgent, type AutomationFailure, maxSteps } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { keepLease } from "../../leases/keep-lease.ts";
import { maxAttempts } from "../../leases/lease-limits.ts";
import { releaseLease } from "../../leases/release-lease.ts";
import { type AutomationEnd, endAutomationRun } from "../runs/end-automation-runs.ts";
import { timeLimitFailure } from "../runs/sweep-automation-runs.ts";
import { type HeldRun, renewAutomationLease } from "../runs/take-automation-run.ts";
import { writeStep } from "../runs/write-step.ts";
import type { Agent } from "./agent.ts";
import { describeResult } from "./describe-result.ts";
import { digestAgent } from "./digest-agent.ts";
import { createTools } from "./tools/create-tools.ts";

/** The agents that run inside of a worker. The runs of external ones are never queued for it. */
const agents: Record<Exclude<AutomationAgent, "external">, Agent> = { digest: digestAgent };

const agentFor = ({ agent }: HeldRun): Agent => {
  if (agent === "external") throw new Error("A run for external agents came to a worker.");
  return agents[agent];
};

interface ExecuteOptions {
  /** Aborted when this worker stops: a run that is not over by then is given to another. */
  signal: AbortSignal;
  onError: (error: unknown) => void;
  /** In place of the one that the automation names. */
  agent?: Agent;
}

/** Lets an agent do the work of a run that was claimed, and writes down how it ended. */
export async function executeAutomationRun(
  deps: Deps,
  run: HeldRun,
  { signal: stopping, onError, agent }: ExecuteOptions,
): Promise<void> {
  const isLate = () => deps.clock.now() >= run.deadlineAt;
  const kept = keepLease(deps, {
    runId: run.id,
    channel: "querybell_automation_run_ended",
    renew: async () => (await renewAutomationLease(deps, run)) !== undefined && !isLate(),
    onError,
  });
  const signal = AbortSignal.any([kept.signal, stopping]);
  try {
    const end = await firstOf(begin(deps, run, { agent, signal, onError }), signal);
    await kept.stop();
    if (end) await finish(deps, run, end);
    else if (isLate()) await finish(deps, run, { kind: "failed", failure: timeLimitFailure });
    else if (!kept.signal.aborted) await releaseLease(deps, "automation_runs", run);
  } finally {
    await kept.stop();
  }
}

interface Beginning {
  agent: Agent | undefined;
  signal: AbortSignal;
  onError: (error: unknown) => void;
}

async function begin(
  deps: Deps,
  run: HeldRun,
  { agent = agentFor(run), signal, onError }: Beginning,
): Promise<AutomationEnd | undefined> {
  if (run.leaseNumber > maxAttempts) return { kind: "failed", failure: lostFailure };
  try {
    return await agent({
      brief: run.brief,
      tools: createTools({ deps, run, signal }),
      describe: (looked) => describeResult({ deps, run, signal }, looked),
      transcript: {
        async say(message) {
          await deps.db.transaction((tx) => writeStep({ ...deps, tx }, run, { kind: "message", ...message }));
        },
      },
      budget: { steps: maxSteps, deadline: run.deadlineAt },
      signal,
    });
  } catch (error) {
    if (signal.aborted || (error instanceof AppError && error.code === "claim_lost")) return undefined;
    // Our own database is away: the lease runs out, and whoever comes next goes on from the last step.
    if (toAppError(error)?.code === "unavailable") throw error;
    onError(error);
    return { kind: "failed", failure: internalFailure };
  }
}

/** What the agent returns, or undefined as soon as the signal ends it: nobody waits for one that does not listen. */
async function firstOf<End>(work: Promise<End>, signal: AbortSignal): Promise<End | undefined> {
  const aborted = Promise.withResolvers<undefined>();
  const abort = () => aborted.resolve(undefined);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

async function finish(deps: Deps, run: HeldRun, end: AutomationEnd): Promise<void> {
  await deps.db.transaction((tx) => endAutomationRun({ ...deps, tx }, run, end));
}

const lostFailure: AutomationFailure = {
  code: "worker_lost",
  reason: `The run was begun ${maxAttempts} times, and each time the worker ended before it. Trigger the automation again; if that does not help, make its queries read less.`,
};

const internalFailure: AutomationFailure = {
  code: "internal",
  reason: "Something went wrong on our side. Trigger the automation again; the worker's log says more.",
};
