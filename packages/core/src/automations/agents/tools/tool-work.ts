import type { Prisma } from "@querybell/db";
import type { AutomationFailure } from "@querybell/domain";
import type { Deps } from "../../../deps.ts";
import type { ClaimedAutomationRun } from "../../runs/claim-automation-run.ts";
import { type StepWrite, writeStep } from "../../runs/write-step.ts";

/** The dependencies of the tools of one run. */
export interface ToolWork {
  deps: Deps;
  run: ClaimedAutomationRun;
  signal: AbortSignal;
}

export interface Call {
  name: string;
  tool: string;
  input: Prisma.InputJsonObject;
}

type Result = Pick<StepWrite, "state" | "text" | "output" | "queryRunId">;

export const toStepWrite = ({ name, tool, input }: Call, result: Result): StepWrite => ({
  kind: "tool_call",
  name,
  tool,
  input,
  ...result,
});

/** Finds the step of a call that ended in an earlier attempt. */
export async function findEndedStep(
  { deps, run }: ToolWork,
  name: string,
): Promise<Prisma.AutomationStepModel | undefined> {
  const step = await deps.db.prisma.automationStep.findUnique({
    where: { runId_name: { runId: run.id, name } },
  });
  return step && step.state !== "running" ? step : undefined;
}

export async function writeCall({ deps, run }: ToolWork, call: Call, result: Result): Promise<void> {
  await writeStep(deps, run, toStepWrite(call, result));
}

export const toFailed = (failure: AutomationFailure) => ({ kind: "failed" as const, failure });

export const tooLargeFailure = (title: string): AutomationFailure => ({
  code: "result_too_large",
  reason: `"${title}" could not be run: Its result is too large to be read as a whole. Make the query return fewer rows.`,
});

export const deletedFailure = (title: string): AutomationFailure => ({
  code: "reference_deleted",
  reason: `The reference "${title}" was deleted. Choose another for the automation, or take it out.`,
});
