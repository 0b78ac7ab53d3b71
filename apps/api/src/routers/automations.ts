import {
  createAutomation,
  deleteAutomation,
  getAutomation,
  listAutomations,
  previewSchedule,
  triggerAutomation,
  updateAutomation,
} from "@querybell/core/automations";
import {
  Automation,
  AutomationId,
  AutomationOverview,
  AutomationRun,
  CreateAutomation,
  ListAutomations,
  PreviewSchedule,
  pageOf,
  SchedulePreview,
  UpdateAutomation,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked } from "../trpc/checked.ts";
import { valueErrors } from "../trpc/documented-errors.ts";
import { memberProcedure } from "../trpc/procedures.ts";

export const automationRouter = {
  list: memberProcedure("automations:read")
    .meta({ summary: "The automations, newest first" })
    .input(ListAutomations.prefault({}))
    .output(checked(pageOf(AutomationOverview)))
    .query(({ ctx, input }) => listAutomations(ctx.deps, ctx.caller, input)),
  get: memberProcedure("automations:read")
    .meta({
      summary: "One automation, with its latest runs",
      errors: { not_found: "there is no such automation" },
    })
    .input(AutomationId)
    .output(checked(AutomationOverview))
    .query(({ ctx, input }) => getAutomation(ctx.deps, ctx.caller, input)),
  create: memberProcedure()
    .meta({
      summary: "Makes an automation ([what the fields do](../automations.md#making-one))",
      errors: {
        ...valueErrors,
        not_found: "there is no such reference, or a subscriber is no member",
        conflict: "a reference has no query yet",
        model_missing: "the agent is `model`, and the organization has none that it may use",
      },
    })
    .input(CreateAutomation)
    .output(checked(Automation))
    .mutation(({ ctx, input }) => createAutomation(ctx.deps, ctx.caller, input)),
  update: memberProcedure()
    .meta({
      summary: "Changes some fields; `enabled: false` pauses the automation",
      errors: {
        ...valueErrors,
        not_found: "there is no such automation or reference, or a subscriber is no member",
        conflict: "a reference has no query yet",
        model_missing: "the agent becomes `model`, and the organization has none that it may use",
      },
    })
    .input(UpdateAutomation)
    .output(checked(Automation))
    .mutation(({ ctx, input }) => updateAutomation(ctx.deps, ctx.caller, input)),
  delete: memberProcedure()
    .meta({
      summary: "Deletes an automation and stops its unfinished runs; its chats stay",
      errors: { not_found: "there is no such automation" },
    })
    .input(AutomationId)
    .mutation(({ ctx, input }) => deleteAutomation(ctx.deps, ctx.caller, input)),
  previewSchedule: memberProcedure("automations:read")
    .meta({ summary: "The next three times of a schedule, before it is saved" })
    .input(PreviewSchedule)
    .output(checked(SchedulePreview))
    .query(({ ctx, input }) => previewSchedule(ctx.deps, input)),
  trigger: memberProcedure("automations:run")
    .meta({
      summary: "Starts a run now, or queues it behind the one that is unfinished",
      errors: {
        not_found: "there is no such automation",
        automation_paused: "the automation is not enabled",
        automation_busy: "a run is unfinished and `whenBusy` is `refuse`, or ten runs are queued",
      },
    })
    .input(AutomationId)
    .output(checked(AutomationRun))
    .mutation(({ ctx, input }) => triggerAutomation(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
