import { createHash } from "node:crypto";
import type { Prisma } from "@querybell/db";
import { AppError, AutomationFailure } from "@querybell/domain";
import type { z } from "zod";
import type { Deps } from "../../../deps.ts";
import { type StepWrite, writeStep } from "../../runs/write-step.ts";
import type { QueryAnswer, RunReference, ToolOutcome } from "../agent.ts";
import type { ClaimedAutomationRun } from "../execute-automation-run.ts";

/** The dependencies of the tools of one run. */
export interface ToolWork {
  deps: Deps;
  run: ClaimedAutomationRun;
  signal: AbortSignal;
  /** What queries have returned to this worker, by the names of their steps. An ended step never changes. */
  answers: Map<string, QueryAnswer>;
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
  reason: `"${title}" could not be run: reading its whole result takes too much memory, or more than five minutes. Make the query return fewer rows.`,
});

interface CallOptions<Answer> {
  schema: z.ZodType<Answer>;
  compute: () => Promise<Answer & Prisma.InputJsonValue>;
}

/** Executes a call and stores the whole answer in its step, where a worker that takes the run over finds it. */
export async function recordCall<Answer>(
  work: ToolWork,
  call: Call,
  { schema, compute }: CallOptions<Answer>,
): Promise<ToolOutcome<Answer>> {
  const ended = await findEndedStep(work, call.name);
  if (ended?.state === "completed") return { kind: "answered", answer: schema.parse(ended.output) };
  if (ended) return toFailed(AutomationFailure.parse(ended.output));
  try {
    const answer = await compute();
    await writeCall(work, call, { state: "completed", text: "", output: answer });
    return { kind: "answered", answer };
  } catch (error) {
    const failure = toAutomationFailure(error);
    await writeCall(work, call, { state: "failed", text: failure.reason, output: failure });
    return toFailed(failure);
  }
}

/** Converts an expected error to a failure. Rethrows bugs, lost claims and an unavailable database. */
export function toAutomationFailure(error: unknown): AutomationFailure {
  if (!(error instanceof AppError) || error.code === "claim_lost" || error.code === "unavailable")
    throw error;
  return { code: "query_failed", reason: error.message };
}

/** Equal values give equal names in every run, so that a result is compared with that of the previous run. */
export function toQueryStepName({ shortId, parameterValues }: RunReference): string {
  const values = sorted(parameterValues);
  if (values.length === 0) return `run_query:${shortId}`;
  return `run_query:${shortId}:${hashOf(values).slice(0, 10)}`;
}

/** The same for SQL that the model wrote. */
export function toSqlStepName({ shortId, sql, parameterValues }: RunReference & { sql: string }): string {
  return `run_sql:${hashOf([shortId, sql, sorted(parameterValues)]).slice(0, 20)}`;
}

const sorted = (values: object) => Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
const hashOf = (data: unknown): string =>
  createHash("sha256").update(JSON.stringify(data)).digest("base64url");
