import { AppError, type AutomationFailure } from "@querybell/domain";
import type { TokenUsage } from "@querybell/models";
import { z } from "zod";
import { monthOf } from "../../../models/find-model.ts";
import { type StepWrite, writeStepIn } from "../../runs/write-step.ts";
import type { ToolWork } from "../tools/tool-work.ts";

/** Tokens that are counted before a request, so that concurrent requests together cannot exceed a budget. */
export const Reservation = z.object({
  inputTokens: z.int(),
  outputTokens: z.int(),
  /** The first day of the month in which they are counted. */
  month: z.iso.date(),
});
export type Reservation = z.infer<typeof Reservation>;

interface Wanted extends TokenUsage {
  /** The organization's budget. */
  monthlyTokens: number;
}

class BudgetUsedError extends Error {
  readonly failure: AutomationFailure;

  constructor(reason: string) {
    super(reason);
    this.failure = { code: "budget_used", reason };
  }
}

export type Reserved =
  | { kind: "reserved"; reserved: Reservation }
  | { kind: "failed"; failure: AutomationFailure };

/** Writes the step of a request and reserves its tokens, or does neither. */
export async function reserveTokens(work: ToolWork, name: string, wanted: Wanted): Promise<Reserved> {
  const month = monthOf(work.deps.clock.now()).toISOString().slice(0, 10);
  const reserved = { inputTokens: wanted.inputTokens, outputTokens: wanted.outputTokens, month };
  const tokens = wanted.inputTokens + wanted.outputTokens;
  try {
    await writeReservation(work, { name, reserved, tokens, calls: 1, monthlyTokens: wanted.monthlyTokens });
    return { kind: "reserved", reserved };
  } catch (error) {
    if (error instanceof BudgetUsedError) return { kind: "failed", failure: error.failure };
    throw error;
  }
}

interface Extension {
  name: string;
  reserved: Reservation;
  more: number;
  monthlyTokens: number;
}

/** Reserves more tokens for another attempt of a request. Undefined if a budget does not allow it. */
export async function extendReservation(
  work: ToolWork,
  { name, reserved, more, monthlyTokens }: Extension,
): Promise<Reservation | undefined> {
  const extended = { ...reserved, inputTokens: reserved.inputTokens + more };
  try {
    await writeReservation(work, { name, reserved: extended, tokens: more, calls: 0, monthlyTokens });
    return extended;
  } catch (error) {
    if (error instanceof BudgetUsedError) return undefined;
    throw error;
  }
}

interface WrittenReservation {
  name: string;
  reserved: Reservation;
  /** How many of them are counted now. */
  tokens: number;
  calls: number;
  monthlyTokens: number;
}

async function writeReservation(
  { deps, run }: ToolWork,
  { name, reserved, tokens, calls, monthlyTokens }: WrittenReservation,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const step = { name, kind: "message", state: "running", text: "", output: { reserved } } as const;
    // It checks the lease and locks the run.
    await writeStepIn({ ...deps, tx }, run, step);
    const counted = await tx.$executeRaw`
      UPDATE automation_runs SET input_tokens = input_tokens + ${tokens}, model_calls = model_calls + ${calls}
      WHERE id = ${run.id}::uuid AND input_tokens + output_tokens + ${tokens} <= ${run.brief.budget.tokens}`;
    if (counted === 0) throw new BudgetUsedError(runBudgetReason(run.brief.budget.tokens));
    const isWithin = await tx.$executeRaw`
      INSERT INTO model_usage AS used (organization_id, month, tokens)
      SELECT ${run.organizationId}::uuid, ${reserved.month}::date, ${tokens}::bigint
      WHERE ${tokens}::bigint <= ${monthlyTokens}::bigint
      ON CONFLICT (organization_id, month) DO UPDATE SET tokens = used.tokens + excluded.tokens
        WHERE used.tokens + excluded.tokens <= ${monthlyTokens}::bigint`;
    if (isWithin === 0) throw new BudgetUsedError(monthlyBudgetReason(monthlyTokens));
  });
}

interface Settled {
  reserved: Reservation;
  usage: TokenUsage;
  calls: number;
}

/** Ends the step of a request and replaces the reserved tokens with those that were used. */
export async function settleTokens(
  { deps, run }: ToolWork,
  step: StepWrite,
  { reserved, usage, calls }: Settled,
): Promise<void> {
  const reservedTokens = reserved.inputTokens + reserved.outputTokens;
  const usedTokens = usage.inputTokens + usage.outputTokens;
  await deps.db.transaction(async (tx) => {
    await writeStepIn({ ...deps, tx }, run, step);
    const counted = await tx.$executeRaw`
      UPDATE automation_runs SET input_tokens = input_tokens - ${reservedTokens} + ${usage.inputTokens},
        output_tokens = output_tokens + ${usage.outputTokens}, model_calls = model_calls - 1 + ${calls}
      WHERE id = ${run.id}::uuid`;
    if (counted === 0) throw new AppError("claim_lost", "The run is gone.");
    await tx.$executeRaw`
      UPDATE model_usage SET tokens = greatest(0, tokens - ${reservedTokens}::bigint + ${usedTokens}::bigint)
      WHERE organization_id = ${run.organizationId}::uuid AND month = ${reserved.month}::date`;
  });
}

export const runBudgetReason = (tokens: number): string =>
  `The model has used the ${tokens} tokens that a run may use. Give the automation more, or ask for less.`;

const monthlyBudgetReason = (tokens: number): string =>
  `The organization's ${tokens} tokens of this month are used. An admin can allow more under Settings, Model.`;
