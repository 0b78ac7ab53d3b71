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
  ChatNews,
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
    .meta({ summary: "The runs of one automation, or of all, newest first" })
    .input(ListAutomationRuns.prefault({}))
    .output(checked(pageOf(AutomationRun)))
    .query(({ ctx, input }) => listAutomationRuns(ctx.deps, ctx.caller, input)),
  get: memberProcedure("automations:read")
    .meta({
      summary: "One run of an automation",
      errors: { not_found: "there is no such run of an automation" },
    })
    .input(AutomationRunId)
    .output(checked(AutomationRun))
    .query(({ ctx, input }) => getAutomationRun(ctx.deps, ctx.caller, input)),
  findChat: memberProcedure("automations:read")
    .meta({
      summary: "The run whose chat a permalink names",
      errors: { not_found: "there is no such run of an automation" },
    })
    .input(ChatShortId)
    .output(checked(AutomationRun))
    .query(({ ctx, input }) => findChat(ctx.deps, ctx.caller, input)),
  steps: memberProcedure("automations:read")
    .meta({
      summary: "The chat of a run, oldest step first",
      errors: { not_found: "there is no such run of an automation" },
    })
    .input(ListSteps)
    .output(checked(pageOf(AutomationStep)))
    .query(({ ctx, input }) => listSteps(ctx.deps, ctx.caller, input)),
  stop: memberProcedure("automations:run")
    .meta({
      summary: "Ends a run at once; one that has ended stays as it is",
      errors: { not_found: "there is no such run of an automation" },
    })
    .input(AutomationRunId)
    .output(checked(AutomationRun))
    .mutation(({ ctx, input }) => stopAutomationRun(ctx.deps, ctx.caller, input)),
  watch: memberProcedure("automations:read")
    .meta({
      summary: "The run with its chat so far, then what is new, until the run has ended",
      errors: { not_found: "there is no such run of an automation" },
      yields: ChatNews,
    })
    .input(AutomationRunId)
    .subscription(async function* ({ ctx, input, signal = ctx.closing }) {
      yield* watchChat(ctx.deps, ctx.caller, { ...input, signal: AbortSignal.any([signal, ctx.closing]) });
      // A client takes this for what it is, and asks again.
      if (ctx.closing.aborted) throw new AppError("unavailable", "The server is stopping. Watch again.");
    }),
} satisfies TRPCRouterRecord;
