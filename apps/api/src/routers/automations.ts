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
import { memberProcedure } from "../trpc/procedures.ts";

export const automationRouter = {
  list: memberProcedure("automations:read")
    .input(ListAutomations.prefault({}))
    .output(checked(pageOf(AutomationOverview)))
    .query(({ ctx, input }) => listAutomations(ctx.deps, ctx.caller, input)),
  get: memberProcedure("automations:read")
    .input(AutomationId)
    .output(AutomationOverview)
    .query(({ ctx, input }) => getAutomation(ctx.deps, ctx.caller, input)),
  create: memberProcedure()
    .input(CreateAutomation)
    .output(Automation)
    .mutation(({ ctx, input }) => createAutomation(ctx.deps, ctx.caller, input)),
  update: memberProcedure()
    .input(UpdateAutomation)
    .output(Automation)
    .mutation(({ ctx, input }) => updateAutomation(ctx.deps, ctx.caller, input)),
  delete: memberProcedure()
    .input(AutomationId)
    .mutation(({ ctx, input }) => deleteAutomation(ctx.deps, ctx.caller, input)),
  /** When a schedule would fire, before it is saved. */
  previewSchedule: memberProcedure("automations:read")
    .input(PreviewSchedule)
    .output(SchedulePreview)
    .query(({ ctx, input }) => previewSchedule(ctx.deps, input)),
  trigger: memberProcedure("automations:run")
    .input(AutomationId)
    .output(AutomationRun)
    .mutation(({ ctx, input }) => triggerAutomation(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
