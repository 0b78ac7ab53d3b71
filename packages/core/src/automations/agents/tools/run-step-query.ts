import type { Tx } from "@querybell/db";
import { AppError, AutomationFailure, hasEnded, type RunDetail, type RunFailure } from "@querybell/domain";
import { watchRun } from "../../../runs/get-run.ts";
import type { RunStart } from "../../../runs/start-run.ts";
import { type StepRow, writeStep, writeStepIn } from "../../runs/write-step.ts";
import type { QueryAnswer, ToolOutcome } from "../agent.ts";
import { readStepResults, storeStepResult } from "./step-results.ts";
import {
  type Call,
  type ToolWork,
  toAutomationFailure,
  toFailed,
  tooLargeFailure,
  toStepWrite,
} from "./tool-call.ts";

type Outcome = ToolOutcome<QueryAnswer>;

/** A query that a step runs. */
interface StepQuery {
  /** Its title in the chat. */
  title: string;
  /** Whether the model wrote its SQL. Its result is then kept with the step only. */
  isOwnSql: boolean;
  /** Starts or joins the query run, in the transaction that writes the step. Throws if the query cannot run. */
  start(tx: Tx): Promise<RunStart | { kind: "refused"; failure: AutomationFailure }>;
  /** Says in a sentence that the query failed, and why. */
  explain(failure: Pick<RunFailure, "message" | "position">): string;
}

/** A query that is cancelled more often than this fails. */
const maxStarts = 20;

/**
 * Runs a query as a step. Waits while a run with equal values is being cancelled. If a user cancels the run
 * or edits the query, the query starts again; only SQL of a model fails when it is cancelled. After a
 * takeover, the step leads to the query run or to the stored result.
 */
export async function runStepQuery(work: ToolWork, call: Call, query: StepQuery): Promise<Outcome> {
  const known = work.answers.get(call.name);
  if (known) return { kind: "answered", answer: known };
  for (let starts = 1; ; starts++) {
    const started = await startQueryRun(work, call, query);
    if (started.kind === "ended") return toOutcome(work, started.step);
    const run = await waitForEnd(work, started.queryRunId);
    if (started.kind === "waiting") continue;
    const outcome = await endStep(work, { call, query, run, isLastStart: starts >= maxStarts });
    if (outcome) return outcome;
  }
}

type Started = { kind: "ended"; step: StepRow } | { kind: "started" | "waiting"; queryRunId: string };

/** Creates the step and its query run in one transaction, so that neither exists without the other. */
async function startQueryRun({ deps, run }: ToolWork, call: Call, query: StepQuery): Promise<Started> {
  return deps.db.transaction(async (tx) => {
    const before = await tx.automationStep.findUnique({
      where: { runId_name: { runId: run.id, name: call.name } },
    });
    if (before && before.state !== "running") return { kind: "ended", step: before };
    if (before?.queryRunId) return { kind: "started", queryRunId: before.queryRunId };
    const write = (step: Parameters<typeof toStepWrite>[1]) =>
      writeStepIn({ ...deps, tx }, run, toStepWrite(call, step));
    const fail = async (failure: AutomationFailure): Promise<Started> => {
      const step = await write({ state: "failed", text: failure.reason, output: failure });
      return { kind: "ended", step };
    };
    try {
      const started = await query.start(tx);
      if (started.kind === "refused") return fail(started.failure);
      if (started.kind === "cancelling") return { kind: "waiting", queryRunId: started.run.id };
      await write({ state: "running", text: query.title, queryRunId: started.run.id });
      return { kind: "started", queryRunId: started.run.id };
    } catch (error) {
      const { code, reason } = toAutomationFailure(error);
      return fail({ code, reason: query.explain({ message: reason }) });
    }
  });
}

/** Waits until a query run has ended. */
export async function waitForEnd({ deps, run, signal }: ToolWork, id: string): Promise<RunDetail> {
  for await (const state of watchRun(deps, run, { id, signal })) if (hasEnded(state.status)) return state;
  signal.throwIfAborted();
  throw new AppError("internal", "Watching a query run stopped before the run ended.");
}

interface EndedQuery {
  call: Call;
  query: StepQuery;
  run: RunDetail;
  isLastStart: boolean;
}

/** Ends the step with the outcome of the query run. Undefined when the query must run again. */
async function endStep(
  work: ToolWork,
  { call, query, run, isLastStart }: EndedQuery,
): Promise<Outcome | undefined> {
  const { deps } = work;
  const { title, isOwnSql } = query;
  const write = (step: Parameters<typeof toStepWrite>[1]) =>
    writeStep(deps, work.run, toStepWrite(call, step));
  const fail = async (failure: AutomationFailure) => {
    await write({ state: "failed", text: failure.reason, output: failure, queryRunId: run.id });
    return toFailed(failure);
  };
  if (run.status === "failed") {
    if (run.failure?.code === "cancelled" && !isOwnSql && !isLastStart) {
      await write({ state: "running", text: title, queryRunId: null });
      return undefined;
    }
    return fail({ code: "query_failed", reason: query.explain(run.failure ?? unknownFailure) });
  }
  const stored = await storeStepResult(work, { call, title, run, isOwnSql });
  switch (stored.kind) {
    case "stored":
      return toOutcome(work, stored.step, stored.bytes);
    case "gone":
      await write({ state: "running", text: title, queryRunId: null });
      return undefined;
    case "too_large":
      return fail(tooLargeFailure(title));
  }
}

const unknownFailure = { message: "The query failed." };

/** Reads the outcome of an ended call from its step and the stored results. `bytes`: those of the result, if they are known. */
async function toOutcome(work: ToolWork, step: StepRow, bytes?: Buffer): Promise<Outcome> {
  if (step.state === "failed") return toFailed(AutomationFailure.parse(step.output));
  const { result, previous } = await readStepResults(work, step);
  const answer = { queryRunId: step.queryRunId ?? "", result: { ...result, bytes }, previous };
  work.answers.set(step.name, answer);
  return { kind: "answered", answer };
}
