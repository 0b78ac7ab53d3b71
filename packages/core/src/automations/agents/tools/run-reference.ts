import { AppError, AutomationFailure, hasEnded, type RunDetail } from "@querybell/domain";
import { lockQuery } from "../../../queries/lock-query.ts";
import { joinRunIn } from "../../../runs/join-run.ts";
import { readValues } from "../../../runs/parameter-definitions.ts";
import { prepareRun, readStatement } from "../../../runs/prepare-run.ts";
import { watchRun } from "../../../runs/watch-run.ts";
import { triggerOfAutomationRun } from "../../runs/automation-run-row.ts";
import type { StepRow } from "../../runs/step-row.ts";
import { writeStep, writeStepIn } from "../../runs/write-step.ts";
import type { QueryAnswer, RunReference, ToolOutcome } from "../agent.ts";
import { toAutomationFailure } from "./record-call.ts";
import { findPreviousResult, getStepResult, storeStepResult } from "./step-results.ts";
import {
  type Call,
  deletedFailure,
  type ToolWork,
  toFailed,
  tooLargeFailure,
  toStepWrite,
} from "./tool-work.ts";

type Outcome = ToolOutcome<QueryAnswer>;

/**
 * Runs a reference's query as a step. Joins an unfinished run with equal values. Waits while such a run is being
 * cancelled, and starts again when a user cancels the joined run, so that actions of other users never fail the step.
 * After a takeover, the step leads to the query run or to the stored result.
 */
export async function runReference(work: ToolWork, call: Call, input: RunReference): Promise<Outcome> {
  for (;;) {
    const started = await startQueryRun(work, call, input);
    if (started.kind === "ended") return toOutcome(work, started.step);
    const run = await waitForEnd(work, started.queryRunId);
    const outcome = started.kind === "waiting" ? undefined : await endStep(work, call, run);
    if (outcome) return outcome;
  }
}

type Started = { kind: "ended"; step: StepRow } | { kind: "started" | "waiting"; queryRunId: string };

/** Creates the step and its query run in one transaction, so that neither exists without the other. */
async function startQueryRun({ deps, run }: ToolWork, call: Call, input: RunReference): Promise<Started> {
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
    const named = run.brief.references.find(({ shortId }) => shortId === input.shortId);
    if (!named) return fail(unknownFailure);
    const reference = await tx.queryReference.findFirst({ where: { id: named.id, deletedAt: null } });
    if (!reference?.queryId) return fail(deletedFailure(named.title));
    try {
      const query = await lockQuery(tx, run, reference.queryId);
      const statement = await readStatement(tx, query);
      const wanted = { queryId: query.id, shortId: input.shortId, given: input.parameterValues };
      const prepared = prepareRun(statement, await readValues(tx, statement, wanted), deps.clock);
      const triggerId = triggerOfAutomationRun(run.id);
      const joined = await joinRunIn({ ...deps, tx }, { query, triggerId, ...prepared });
      if (joined.kind === "cancelling") return { kind: "waiting", queryRunId: joined.run.id };
      await write({ state: "running", text: reference.title, queryRunId: joined.run.id });
      return { kind: "started", queryRunId: joined.run.id };
    } catch (error) {
      return fail(withTitle(named.title, toAutomationFailure(error)));
    }
  });
}

const unknownFailure: AutomationFailure = {
  code: "agent_failed",
  reason: "The agent asked for a reference that the automation does not look at.",
};

const withTitle = (title: string, { code, reason }: AutomationFailure): AutomationFailure => ({
  code,
  reason: `"${title}" could not be run: ${reason}`,
});

async function waitForEnd({ deps, run, signal }: ToolWork, id: string): Promise<RunDetail> {
  for await (const state of watchRun(deps, run, { id, signal })) if (hasEnded(state.status)) return state;
  signal.throwIfAborted();
  throw new AppError("internal", "Watching a query run stopped before the run ended.");
}

/** Ends the step with the outcome of the query run. Undefined when the query must run again. */
async function endStep(work: ToolWork, call: Call, run: RunDetail): Promise<Outcome | undefined> {
  const { deps } = work;
  const write = (step: Parameters<typeof toStepWrite>[1]) =>
    writeStep(deps, work.run, toStepWrite(call, step));
  const title = titleOf(work, call);
  if (run.status === "failed") {
    const isOwnRun = run.triggerId === triggerOfAutomationRun(work.run.id);
    if (run.failure?.code === "cancelled" && !isOwnRun) {
      await write({ state: "running", text: title, queryRunId: null });
      return undefined;
    }
    const message = run.failure?.message ?? "The query failed.";
    const failure = withTitle(title, { code: "query_failed", reason: message });
    await write({ state: "failed", text: failure.reason, output: failure, queryRunId: run.id });
    return toFailed(failure);
  }
  const stored = await storeStepResult(work, { call, title, run });
  switch (stored.kind) {
    case "stored":
      return toOutcome(work, stored.step);
    case "gone":
      await write({ state: "running", text: title, queryRunId: null });
      return undefined;
    case "too_large": {
      const failure = tooLargeFailure(title);
      await write({ state: "failed", text: failure.reason, output: failure, queryRunId: run.id });
      return toFailed(failure);
    }
  }
}

const titleOf = ({ run }: ToolWork, { input }: Call): string =>
  run.brief.references.find(({ shortId }) => shortId === input.shortId)?.title ?? "";

/** Reads the outcome of an ended call from its step and the stored results. */
async function toOutcome(work: ToolWork, step: StepRow): Promise<Outcome> {
  if (step.state === "failed") return toFailed(AutomationFailure.parse(step.output));
  const [result, previous] = [await getStepResult(work, step.id), await findPreviousResult(work, step.name)];
  return { kind: "answered", answer: { queryRunId: step.queryRunId ?? "", result, previous } };
}
