import type { Prisma } from "@querybell/db";
import { AppError, type AutomationFailure, AutomationFailure as Failure } from "@querybell/domain";
import type { z } from "zod";
import type { ToolOutcome } from "../agent.ts";
import { type Call, failedWith, findEnded, type ToolWork, writeCall } from "./tool-work.ts";

interface Recorded<Answer> {
  answers: z.ZodType<Answer>;
  ask: () => Promise<Answer & Prisma.InputJsonValue>;
}

/** A call whose whole answer is small enough for its step: a run that is taken over reads it there. */
export async function recordCall<Answer>(
  work: ToolWork,
  call: Call,
  { answers, ask }: Recorded<Answer>,
): Promise<ToolOutcome<Answer>> {
  const ended = await findEnded(work, call.name);
  if (ended?.state === "completed") return { kind: "answered", answer: answers.parse(ended.output) };
  if (ended) return failedWith(Failure.parse(ended.output));
  try {
    const answer = await ask();
    await writeCall(work, call, { state: "completed", text: "", output: answer });
    return { kind: "answered", answer };
  } catch (error) {
    const failure = asFailure(error);
    await writeCall(work, call, { state: "failed", text: failure.reason, output: failure });
    return failedWith(failure);
  }
}

/** A refusal is something to tell; anything else is a bug. */
export function asFailure(error: unknown): AutomationFailure {
  if (!(error instanceof AppError) || error.code === "claim_lost" || error.code === "unavailable")
    throw error;
  return { code: "query_failed", reason: error.message };
}
