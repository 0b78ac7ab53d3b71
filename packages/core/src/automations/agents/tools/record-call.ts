import type { Prisma } from "@querybell/db";
import { AppError, type AutomationFailure, AutomationFailure as Failure } from "@querybell/domain";
import type { z } from "zod";
import type { ToolOutcome } from "../agent.ts";
import { type Call, findEndedStep, type ToolWork, toFailed, writeCall } from "./tool-work.ts";

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
  if (ended) return toFailed(Failure.parse(ended.output));
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
