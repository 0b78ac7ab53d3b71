import type { Tx } from "@querybell/db";
import { AppError, type AutomationFailure } from "@querybell/domain";
import type { TokenUsage } from "@querybell/models";
import { z } from "zod";
import { monthOf } from "../../../models/find-model.ts";
import {
  addMonthlyTokens,
  monthlyBudgetReason,
  settleMonthlyTokens,
} from "../../../models/monthly-tokens.ts";
import { type StepWrite, writeStepIn } from "../../runs/write-step.ts";
import type { ToolWork } from "../tools/tool-call.ts";

/** Tokens that are counted before a request, so that concurrent requests together cannot exceed a budget. */
export const Reservation = z.object({
  inputTokens: z.int(),
  outputTokens: z.int(),
  /** The first day of the month in which they are counted. */
  month: z.iso.date(),
});
export type Reservation = z.infer<typeof Reservation>;

interface Wanted {
  inputTokens: number;
  /** The organization's budget. */
  monthlyTokens: number;
}

const maxOutputTokens = 4_096;
/** With fewer tokens, no useful answer is possible. */
const minOutputTokens = 256;

class BudgetUsedError extends Error {
  readonly failure: AutomationFailure;

  constructor(reason: string) {
    super(reason);
    this.failure = { code: "budget_used", reason };
  }
}

type Reserved = { kind: "reserved"; reserved: Reservation } | { kind: "failed"; failure: AutomationFailure };

/**
 * Writes the step of a request and reserves its tokens, or does neither. The answer may use all that the run
 * has left.
 */
export async function reserveTokens(
  work: ToolWork,
  name: string,
  { inputTokens, monthlyTokens }: Wanted,
): Promise<Reserved> {
  const { deps, run } = work;
  const month = monthOf(deps.clock.now()).toISOString().slice(0, 10);
  const budget = run.brief.budget.tokens;
  try {
    const reserved = await deps.db.transaction(async (tx) => {
      const left = budget - (await lockUsedTokens(tx, run)) - inputTokens;
      if (left < minOutputTokens) throw new BudgetUsedError(runBudgetReason(budget));
      const outputTokens = Math.min(maxOutputTokens, left);
      const reservation = { inputTokens, outputTokens, month };
      const tokens = inputTokens + outputTokens;
      await writeReservation(tx, work, { name, reserved: reservation, tokens, calls: 1, monthlyTokens });
      return reservation;
    });
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
  const { deps, run } = work;
  const extended = { ...reserved, inputTokens: reserved.inputTokens + more };
  const budget = run.brief.budget.tokens;
  try {
    await deps.db.transaction(async (tx) => {
      if ((await lockUsedTokens(tx, run)) + more > budget) throw new BudgetUsedError(runBudgetReason(budget));
      await writeReservation(tx, work, { name, reserved: extended, tokens: more, calls: 0, monthlyTokens });
    });
    return extended;
  } catch (error) {
    if (error instanceof BudgetUsedError) return undefined;
    throw error;
  }
}

/** Reads the tokens that a run has used or reserved, and locks the run until the transaction ends. */
async function lockUsedTokens(tx: Tx, { id }: ToolWork["run"]): Promise<number> {
  const [run] = await tx.$queryRaw<{ tokens: number }[]>`
    SELECT input_tokens + output_tokens AS tokens FROM automation_runs WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
  if (!run) throw runGone();
  return run.tokens;
}

interface WrittenReservation {
  name: string;
  reserved: Reservation;
  /** How many tokens to add to the counters now. */
  tokens: number;
  calls: number;
  monthlyTokens: number;
}

/** Writes a reservation that the run has room for. Throws `BudgetUsedError` if the month has none. */
async function writeReservation(
  tx: Tx,
  { deps, run }: ToolWork,
  { name, reserved, tokens, calls, monthlyTokens }: WrittenReservation,
): Promise<void> {
  const step = { name, kind: "message", state: "running", text: "", output: { reserved } } as const;
  // Also checks the lease.
  await writeStepIn({ ...deps, tx }, run, step);
  await tx.$executeRaw`
    UPDATE automation_runs SET input_tokens = input_tokens + ${tokens}, model_calls = model_calls + ${calls}
    WHERE id = ${run.id}::uuid`;
  const { organizationId } = run;
  const isWithin = await addMonthlyTokens(tx, {
    organizationId,
    month: reserved.month,
    tokens,
    monthlyTokens,
  });
  if (!isWithin) throw new BudgetUsedError(monthlyBudgetReason(monthlyTokens));
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
    if (counted === 0) throw runGone();
    await settleMonthlyTokens(tx, {
      organizationId: run.organizationId,
      month: reserved.month,
      reserved: reservedTokens,
      used: usedTokens,
    });
  });
}

const runGone = () => new AppError("claim_lost", "The run is gone.");

const runBudgetReason = (tokens: number): string =>
  `The model has used the ${tokens} tokens that a run may use. Give the automation more, or ask for less.`;
