import type { Prisma } from "@querybell/db";
import { AppError, AutomationFailure, hasEnded, type RunDetail } from "@querybell/domain";
import { lockQuery } from "../../../queries/lock-query.ts";
import { joinRun } from "../../../runs/join-run.ts";
import { readValues } from "../../../runs/parameter-definitions.ts";
import { prepareRun, readStatement } from "../../../runs/prepare-run.ts";
import { watchRun } from "../../../runs/watch-run.ts";
import { triggerOfAutomationRun } from "../../runs/automation-run-row.ts";
import { writeStep } from "../../runs/write-step.ts";
import type { QueryAnswer, RunReference, ToolOutcome } from "../agent.ts";
import { findKept, findPrevious, keepResult } from "./kept-results.ts";
import { asFailure } from "./recorded-call.ts";
import {
  type Call,
  deletedFailure,
  failedWith,
  stepOf,
  type ToolWork,
  tooLargeFailure,
} from "./tool-work.ts";

type Outcome = ToolOutcome<QueryAnswer>;

/**
 * Runs a reference's query as a step. It joins an unfinished run with equal values, waits while such a run is
 * being cancelled, and begins again when somebody cancels the run that it had joined: what others do with the
 * query never fails it. A run that was taken over finds the query's run, or its kept result, by the step.
 */
export async function runReference(work: ToolWork, call: Call, input: RunReference): Promise<Outcome> {
  for (;;) {
    const begun = await begin(work, call, input);
    if (begun.kind === "ended") return recall(work, begun.step);
    const run = await untilEnded(work, begun.queryRunId);
    const outcome = begun.kind === "waiting" ? undefined : await settle(work, call, run);
    if (outcome) return outcome;
  }
}

type Begun =
  | { kind: "ended"; step: Prisma.AutomationStepModel }
  | { kind: "begun" | "waiting"; queryRunId: string };

/** The step and the query's run that it stands for, in one transaction: neither is there without the other. */
async function begin({ deps, run }: ToolWork, call: Call, input: RunReference): Promise<Begun> {
  return deps.db.transaction(async (tx) => {
    const before = await tx.automationStep.findUnique({
      where: { runId_name: { runId: run.id, name: call.name } },
    });
    if (before && before.state !== "running") return { kind: "ended", step: before };
    if (before?.queryRunId) return { kind: "begun", queryRunId: before.queryRunId };
    const write = (step: Parameters<typeof stepOf>[1]) => writeStep({ ...deps, tx }, run, stepOf(call, step));
    const fail = async (failure: AutomationFailure): Promise<Begun> => {
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
      const joined = await joinRun({ ...deps, tx }, { query, triggerId, ...prepared });
      if (joined.kind === "cancelling") return { kind: "waiting", queryRunId: joined.run.id };
      await write({ state: "running", text: reference.title, queryRunId: joined.run.id });
      return { kind: "begun", queryRunId: joined.run.id };
    } catch (error) {
      return fail(aboutReference(named.title, asFailure(error)));
    }
  });
}

const unknownFailure: AutomationFailure = {
  code: "agent_failed",
  reason: "The agent asked for a reference that the automation does not look at.",
};

const aboutReference = (title: string, { code, reason }: AutomationFailure): AutomationFailure => ({
  code,
  reason: `"${title}" could not be run: ${reason}`,
});

async function untilEnded({ deps, run, signal }: ToolWork, id: string): Promise<RunDetail> {
  for await (const state of watchRun(deps, run, { id, signal })) if (hasEnded(state.status)) return state;
  signal.throwIfAborted();
  throw new AppError("internal", "A run was no longer watched before it had ended.");
}

/** Ends the step with what the query's run found; undefined when it has to be run again. */
async function settle(work: ToolWork, call: Call, run: RunDetail): Promise<Outcome | undefined> {
  const { deps } = work;
  const write = (step: Parameters<typeof stepOf>[1]) =>
    deps.db.transaction((tx) => writeStep({ ...deps, tx }, work.run, stepOf(call, step)));
  const title = titleOf(work, call);
  if (run.status === "failed") {
    const isOurs = run.triggerId === triggerOfAutomationRun(work.run.id);
    if (run.failure?.code === "cancelled" && !isOurs) {
      await write({ state: "running", text: title, queryRunId: null });
      return undefined;
    }
    const message = run.failure?.message ?? "The query failed.";
    const failure = aboutReference(title, { code: "query_failed", reason: message });
    await write({ state: "failed", text: failure.reason, output: failure, queryRunId: run.id });
    return failedWith(failure);
  }
  const kept = await keepResult(work, { call, title, run });
  switch (kept.kind) {
    case "kept":
      return recall(work, kept.step);
    case "gone":
      await write({ state: "running", text: title, queryRunId: null });
      return undefined;
    case "too_large": {
      const failure = tooLargeFailure(title);
      await write({ state: "failed", text: failure.reason, output: failure, queryRunId: run.id });
      return failedWith(failure);
    }
  }
}

const titleOf = ({ run }: ToolWork, { input }: Call): string =>
  run.brief.references.find(({ shortId }) => shortId === input.shortId)?.title ?? "";

/** The outcome of a call that has ended, from its step and what was kept with it. */
async function recall(work: ToolWork, step: Prisma.AutomationStepModel): Promise<Outcome> {
  if (step.state === "failed") return failedWith(AutomationFailure.parse(step.output));
  const [result, previous] = [await findKept(work, step.id), await findPrevious(work, step.name)];
  return { kind: "answered", answer: { queryRunId: step.queryRunId ?? "", result, previous } };
}
