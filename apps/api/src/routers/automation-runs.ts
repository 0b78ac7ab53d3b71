import {
  findChat,
  getAutomationRun,
  listAutomationRuns,
  listSteps,
  stopAutomationRun,
  watchChat,
} from "@querybell/core/automations";
import {
  AppError,
  AutomationRun,
  AutomationRunId,
  AutomationStep,
  ChatShortId,
  ListAutomationRuns,
  ListSteps,
  pageOf,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked } from "../trpc/checked.ts";
import { memberProcedure } from "../trpc/procedures.ts";

export const automationRunRouter = {
  list: memberProcedure("automations:read")
    .input(ListAutomationRuns.prefault({}))
    .output(checked(pageOf(AutomationRun)))
    .query(({ ctx, input }) => listAutomationRuns(ctx.deps, ctx.caller, input)),
  get: memberProcedure("automations:read")
    .input(AutomationRunId)
    .output(AutomationRun)
    .query(({ ctx, input }) => getAutomationRun(ctx.deps, ctx.caller, input)),
  /** The run whose chat a permalink names. */
  findChat: memberProcedure("automations:read")
    .input(ChatShortId)
    .output(AutomationRun)
    .query(({ ctx, input }) => findChat(ctx.deps, ctx.caller, input)),
  steps: memberProcedure("automations:read")
    .input(ListSteps)
    .output(checked(pageOf(AutomationStep)))
    .query(({ ctx, input }) => listSteps(ctx.deps, ctx.caller, input)),
  stop: memberProcedure("automations:run")
    .input(AutomationRunId)
    .output(AutomationRun)
    .mutation(({ ctx, input }) => stopAutomationRun(ctx.deps, ctx.caller, input)),
  /** The run with its chat so far, then what is new, until the run has ended. */
  watch: memberProcedure("automations:read")
    .input(AutomationRunId)
    .subscription(async function* ({ ctx, input, signal = ctx.closing }) {
      yield* watchChat(ctx.deps, ctx.caller, { ...input, signal: AbortSignal.any([signal, ctx.closing]) });
      // A client takes this for what it is, and asks again.
      if (ctx.closing.aborted) throw new AppError("unavailable", "The server is stopping. Watch again.");
    }),
} satisfies TRPCRouterRecord;
