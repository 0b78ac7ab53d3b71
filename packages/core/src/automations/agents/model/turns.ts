import type { Prisma } from "@querybell/db";
import { estimateTokens, type ToolCall } from "@querybell/models";
import { z } from "zod";
import type { ToolWork } from "../tools/tool-call.ts";
import { Reservation, settleTokens } from "./tokens.ts";

/** One answer of the model, as its step stores it. */
export interface Turn {
  number: number;
  text: string;
  toolCalls: ToolCall[];
}

const ToolCalls = z.array(z.object({ id: z.string(), name: z.string(), input: z.string() }));

/** While the model answers, the tokens that are reserved for it; then, which tools it called. */
const TurnOutput = z.union([z.object({ reserved: Reservation }), z.object({ toolCalls: ToolCalls })]);

const prefix = "turn-";

export const turnName = (number: number): string => `${prefix}${String(number).padStart(3, "0")}`;

interface History {
  turns: Turn[];
  /** The number of the next turn. Interrupted turns keep their numbers. */
  next: number;
}

/**
 * Reads what the model has said in this run. A turn that was interrupted by the end of a worker keeps its text and is
 * charged for it; the model is asked again.
 */
export async function readTurns(work: ToolWork): Promise<History> {
  const steps = await work.deps.db.prisma.automationStep.findMany({
    where: { runId: work.run.id, kind: "message", name: { startsWith: prefix } },
    orderBy: { name: "asc" },
  });
  const turns: Turn[] = [];
  for (const step of steps) {
    const turn = await readTurn(work, step);
    if (turn) turns.push(turn);
  }
  return { turns, next: steps.length + 1 };
}

async function readTurn(work: ToolWork, step: Prisma.AutomationStepModel): Promise<Turn | undefined> {
  const output = TurnOutput.parse(step.output);
  const number = Number(step.name.slice(prefix.length));
  if ("toolCalls" in output) return { number, text: step.text, toolCalls: output.toolCalls };
  if (step.state === "running") await endInterrupted(work, step, output.reserved);
  return undefined;
}

async function endInterrupted(
  work: ToolWork,
  { name, text }: Prisma.AutomationStepModel,
  reserved: Reservation,
): Promise<void> {
  const usage = { inputTokens: reserved.inputTokens, outputTokens: estimateTokens(text) };
  const step = { name, kind: "message", state: "completed", text, output: { reserved } } as const;
  await settleTokens(work, step, { reserved, usage, calls: 1 });
}
