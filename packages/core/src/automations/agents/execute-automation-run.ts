import { toAppError } from "@querybell/db";
import { AppError, type AutomationAgent, type AutomationFailure, maxSteps } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { keepLease, releaseLease } from "../../leases/keep-lease.ts";
import { hasAttemptsLeft, workerLostText } from "../../leases/run-lease.ts";
import type { ClaimedAutomationRun } from "../runs/claim-automation-run.ts";
import { type AutomationEnd, endAutomationRun } from "../runs/end-automation-run.ts";
import { timeLimitFailure } from "../runs/fail-abandoned-runs.ts";
import { writeStep } from "../runs/write-step.ts";
import type { Agent } from "./agent.ts";
import { describeResult } from "./describe-result.ts";
import { digestAgent } from "./digest-agent.ts";
import { createModelAgent } from "./model/model-agent.ts";
import { createTools } from "./tools/create-tools.ts";
import type { ToolWork } from "./tools/tool-work.ts";

/** The agents that run inside a worker. Workers never claim the runs of external agents. */
const agents: Record<Exclude<AutomationAgent, "external">, (work: ToolWork) => Agent> = {
  digest: () => digestAgent,
  model: createModelAgent,
};

const agentFor = (work: ToolWork): Agent => {
  const { agent } = work.run;
  if (agent === "external") throw new Error("A worker claimed a run that is for external agents.");
  return agents[agent](work);
};

interface ExecuteOptions {
  /** Aborted when this worker stops. An unfinished run is then released for another worker. */
  signal: AbortSignal;
  onError: (error: unknown) => void;
  /** Replaces the agent that the automation names. For tests. */
  agent?: Agent;
}

/** Executes a claimed run with its agent and records how it ended. */
export async function executeAutomationRun(
  deps: Deps,
  run: ClaimedAutomationRun,
  { signal: stopping, onError, agent }: ExecuteOptions,
): Promise<void> {
  const isLate = () => deps.clock.now() >= run.deadlineAt;
  const lease = { table: "automation_runs", id: run.id, leaseNumber: run.leaseNumber } as const;
  const kept = keepLease(deps, { ...lease, isLate, onError });
  const signal = AbortSignal.any([kept.signal, stopping]);
  try {
    const end = await untilAborted(runAgent(deps, run, { agent, signal, onError }), signal);
    await kept.stop();
    if (end) await finish(deps, run, end);
    else if (isLate()) await finish(deps, run, { kind: "failed", failure: timeLimitFailure });
    else if (!kept.signal.aborted) await releaseLease(deps, lease);
  } finally {
    await kept.stop();
  }
}

interface AgentOptions {
  agent: Agent | undefined;
  signal: AbortSignal;
  onError: (error: unknown) => void;
}

async function runAgent(
  deps: Deps,
  run: ClaimedAutomationRun,
  { agent, signal, onError }: AgentOptions,
): Promise<AutomationEnd | undefined> {
  if (!hasAttemptsLeft(run)) return { kind: "failed", failure: lostFailure };
  try {
    const work = { deps, run, signal };
    const execute = agent ?? agentFor(work);
    return await execute({
      brief: run.brief,
      tools: createTools(work),
      describe: (result) => describeResult(work, result),
      transcript: {
        async say(message) {
          await writeStep(deps, run, { kind: "message", ...message });
        },
      },
      budget: { steps: maxSteps, deadline: run.deadlineAt },
      signal,
    });
  } catch (error) {
    if (signal.aborted || (error instanceof AppError && error.code === "claim_lost")) return undefined;
    // Our database is unavailable. The lease expires, and the next worker continues after the last step.
    if (toAppError(error)?.code === "unavailable") throw error;
    onError(error);
    return { kind: "failed", failure: internalFailure };
  }
}

/** The result of the work, or undefined as soon as the signal aborts: an agent may ignore the signal. */
async function untilAborted<End>(work: Promise<End>, signal: AbortSignal): Promise<End | undefined> {
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

async function finish(deps: Deps, run: ClaimedAutomationRun, end: AutomationEnd): Promise<void> {
  await endAutomationRun(deps, { ...run, automationName: run.brief.name }, end);
}

const lostFailure: AutomationFailure = {
  code: "worker_lost",
  reason: workerLostText("Trigger the automation again; if that does not help, make its queries read less."),
};

const internalFailure: AutomationFailure = {
  code: "internal",
  reason: "Something went wrong on our side. Trigger the automation again; the worker's log says more.",
};
