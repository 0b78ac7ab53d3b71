import {
  getAutomationRun,
  getRunOfChat,
  getRunRecipients,
  listAutomationRuns,
  listSteps,
  stopAutomationRun,
  watchChat,
} from "@querybell/core/automations";
import {
  AutomationRun,
  AutomationRunId,
  AutomationStep,
  ChatShortId,
  ChatUpdate,
  ListAutomationRuns,
  ListSteps,
  pageOf,
  RunRecipients,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked, memberProcedure, parsed, viewerProcedure } from "../trpc/procedures.ts";

export const automationRunRouter = {
  list: viewerProcedure("automations:read")
    .meta({ summary: "Lists the runs of one automation, or of all, newest first" })
    .input(parsed(ListAutomationRuns.prefault({})))
    .output(checked(pageOf(AutomationRun)))
    .query(({ ctx, input }) => listAutomationRuns(ctx.deps, ctx.caller, input)),
  get: viewerProcedure("automations:read")
    .meta({
      summary: "Gets one run of an automation",
      errors: { not_found: "there is no such run of an automation" },
    })
    .input(parsed(AutomationRunId))
    .output(checked(AutomationRun))
    .query(({ ctx, input }) => getAutomationRun(ctx.deps, ctx.caller, input)),
  findChat: viewerProcedure("automations:read")
    .meta({
      summary: "Gets the run of a chat's permalink",
      errors: { not_found: "there is no such run of an automation" },
    })
    .input(parsed(ChatShortId))
    .output(checked(AutomationRun))
    .query(({ ctx, input }) => getRunOfChat(ctx.deps, ctx.caller, input)),
  recipients: viewerProcedure("automations:read")
    .meta({
      summary:
        "Gets who got rows of a run, each in a message; null if it has sent none ([recipients](../recipients.md))",
      errors: { not_found: "there is no such run of an automation" },
    })
    .input(parsed(AutomationRunId))
    .output(checked(RunRecipients.nullable()))
    .query(({ ctx, input }) => getRunRecipients(ctx.deps, ctx.caller, input)),
  steps: viewerProcedure("automations:read")
    .meta({
      summary: "Lists the steps of a run's chat, oldest first",
      errors: { not_found: "there is no such run of an automation" },
    })
    .input(parsed(ListSteps))
    .output(checked(pageOf(AutomationStep)))
    .query(({ ctx, input }) => listSteps(ctx.deps, ctx.caller, input)),
  stop: memberProcedure("automations:run")
    .meta({
      summary: "Stops a run at once. A run that has ended is not changed",
      errors: { not_found: "there is no such run of an automation" },
    })
    .input(parsed(AutomationRunId))
    .output(checked(AutomationRun))
    .mutation(({ ctx, input }) => stopAutomationRun(ctx.deps, ctx.caller, input)),
  watch: viewerProcedure("automations:read")
    .meta({
      summary: "Sends the run with its chat so far, then every change until the run has ended",
      errors: { not_found: "there is no such run of an automation" },
      yields: ChatUpdate,
    })
    .input(parsed(AutomationRunId))
    .subscription(({ ctx, input, signal = ctx.closing }) =>
      watchChat(ctx.deps, ctx.caller, { ...input, signal: AbortSignal.any([signal, ctx.closing]) }),
    ),
} satisfies TRPCRouterRecord;
