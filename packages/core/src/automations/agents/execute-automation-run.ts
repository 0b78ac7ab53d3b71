import { toAppError } from "@querybell/db";
import {
  AppError,
  type AutomationAgent,
  AutomationBrief,
  type AutomationFailure,
  maxSteps,
} from "@querybell/domain";
import { inSpan } from "@querybell/tracing";
import type { Deps } from "../../deps.ts";
import {
  claimNextRun,
  hasAttemptsLeft,
  keepLease,
  maxAttempts,
  type RunClaimer,
  type RunLease,
  releaseLease,
  workerLostText,
} from "../../leases.ts";
import { judgeAutomationRun } from "../conditions/judge-automation-run.ts";
import { makeMessages } from "../recipients/make-messages.ts";
import { type AutomationEnd, endAutomationRun, type ToldWithEnd } from "../runs/end-automation-run.ts";
import { timeLimitFailure } from "../runs/fail-abandoned-runs.ts";
import { writeStep } from "../runs/write-step.ts";
import type { Agent } from "./agent.ts";
import { describeResult, digestAgent } from "./digest-agent.ts";
import { lookAtDashboard } from "./look-at-dashboard.ts";
import { createModelAgent } from "./model/model-agent.ts";
import { createTools } from "./tools/create-tools.ts";
import type { ToolWork } from "./tools/tool-call.ts";

/** An automation run that a worker has claimed. */
export interface ClaimedAutomationRun extends RunLease {
  organizationId: string;
  automationId: string;
  /** The person with whose rights it runs. */
  ownerId: string;
  shortId: string;
  agent: AutomationAgent;
  deadlineAt: Date;
  brief: AutomationBrief;
  /** The trace in which it was triggered; null without tracing. */
  traceContext: string | null;
}

interface ClaimedRow extends Omit<ClaimedAutomationRun, "brief"> {
  brief: unknown;
}

const columns = `id, organization_id AS "organizationId", automation_id AS "automationId",
  (SELECT coalesce(a.owner_id, a.created_by) FROM automations a WHERE a.id = automation_id) AS "ownerId",
  short_id AS "shortId", agent, lease_number AS "leaseNumber", deadline_at AS "deadlineAt", brief,
  trace_context AS "traceContext"`;

/** Claims a run for a worker. */
export async function claimAutomationRun(
  deps: Pick<Deps, "db" | "clock">,
  claimer: RunClaimer,
): Promise<ClaimedAutomationRun | undefined> {
  const row = await claimNextRun<ClaimedRow>(deps, { table: "automation_runs", columns }, claimer);
  return row && { ...row, brief: AutomationBrief.parse(row.brief) };
}

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
  /** Called when the end is recorded: `completed`, or the code of the failure. For metrics. */
  onEnd?: (outcome: "completed" | AutomationFailure["code"]) => void;
  /** Replaces the agent that the automation names. For tests. */
  agent?: Agent;
}

/** Executes a claimed run with its agent and records how it ended, in the trace in which it was triggered. */
export const executeAutomationRun = (
  deps: Deps,
  run: ClaimedAutomationRun,
  options: ExecuteOptions,
): Promise<void> =>
  inSpan(
    {
      name: "automation run",
      kind: "consumer",
      parent: run.traceContext,
      attributes: {
        "querybell.run.id": run.id,
        "querybell.automation.id": run.automationId,
        "querybell.organization.id": run.organizationId,
        "querybell.automation.agent": run.agent,
        "querybell.run.lease_number": run.leaseNumber,
      },
    },
    () => executeClaimed(deps, run, options),
  );

async function executeClaimed(
  deps: Deps,
  run: ClaimedAutomationRun,
  { signal: stopping, onError, onEnd, agent }: ExecuteOptions,
): Promise<void> {
  const isLate = () => deps.clock.now() >= run.deadlineAt;
  const lease = { table: "automation_runs", id: run.id, leaseNumber: run.leaseNumber } as const;
  const kept = keepLease(deps, { ...lease, isLate, onError });
  const signal = AbortSignal.any([kept.signal, stopping]);
  const end = async (ended: JudgedEnd) => {
    await finish(deps, run, ended);
    const { end: how } = ended;
    onEnd?.(how.kind === "completed" ? "completed" : how.failure.code);
  };
  try {
    const ended = await untilAborted(runAgent(deps, run, { agent, signal, onError }), signal);
    await kept.stop();
    if (ended) await end(ended);
    else if (isLate()) {
      const late = { kind: "failed", failure: timeLimitFailure } as const;
      await end(await judged({ deps, run, signal: stopping, answers: new Map() }, late));
    } else if (!kept.signal.aborted) await releaseLease(deps, lease);
  } finally {
    await kept.stop();
  }
}

interface AgentOptions {
  agent: Agent | undefined;
  signal: AbortSignal;
  onError: (error: unknown) => void;
}

/** How a run ends, and what is told with its end. */
interface JudgedEnd extends ToldWithEnd {
  end: AutomationEnd;
}

/**
 * Judges the end of a run by the condition of its automation, and makes the messages to those whom rows name. If these cannot
 * be made, the run fails: then it is judged as failed, so that nothing counts as told that was not.
 */
async function judged(work: ToolWork, end: AutomationEnd): Promise<JudgedEnd> {
  const judgement = await judgeAutomationRun(work, end);
  const made = await makeMessages(work, { end, judgement });
  if (made?.kind !== "failed") return { end, judgement, messages: made?.messages };
  const failed = { kind: "failed", failure: made.failure } as const;
  return { end: failed, judgement: await judgeAutomationRun(work, failed) };
}

async function runAgent(
  deps: Deps,
  claimed: ClaimedAutomationRun,
  { agent, signal, onError }: AgentOptions,
): Promise<JudgedEnd | undefined> {
  const begun: ToolWork = { deps, run: claimed, signal, answers: new Map() };
  if (!hasAttemptsLeft(claimed)) return judged(begun, { kind: "failed", failure: lostFailure });
  try {
    const looked = await lookAtDashboard(begun);
    if (looked.kind === "failed") return await judged(begun, looked);
    const run = looked.answer;
    const work = { ...begun, run };
    const execute = agent ?? agentFor(work);
    const end = await execute({
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
    return await judged(work, end);
  } catch (error) {
    if (signal.aborted || (error instanceof AppError && error.code === "claim_lost")) return undefined;
    // Our database is unavailable. The lease expires, and the next worker continues after the last step.
    if (toAppError(error)?.code === "unavailable") throw error;
    onError(error);
    return { end: { kind: "failed", failure: internalFailure } };
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

/** The event of the run is emitted in this span, so attempts to deliver it are its children. */
const finish = (deps: Deps, run: ClaimedAutomationRun, { end, ...told }: JudgedEnd): Promise<void> =>
  inSpan({ name: `automation run ${end.kind}` }, async (span) => {
    if (end.kind === "failed") span?.fail(end.failure.code);
    await endAutomationRun(deps, { ...run, automationName: run.brief.name }, end, told);
  });

const lostFailure: AutomationFailure = {
  code: "worker_lost",
  reason: workerLostText(
    maxAttempts,
    "Trigger the automation again; if that does not help, make its queries read less.",
  ),
};

const internalFailure: AutomationFailure = {
  code: "internal",
  reason: "Something went wrong on our side. Trigger the automation again; the worker's log says more.",
};
