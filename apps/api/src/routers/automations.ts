import {
  acknowledgeCondition,
  createAutomation,
  deleteAutomation,
  getAutomation,
  listAutomations,
  listConditionChanges,
  previewRecipients,
  previewSchedule,
  replayCondition,
  snoozeCondition,
  triggerAutomation,
  tryAutomation,
  updateAutomation,
} from "@querybell/core/automations";
import {
  Automation,
  AutomationConditionState,
  AutomationId,
  AutomationOverview,
  AutomationRun,
  ConditionChangeList,
  ConditionReplay,
  CreateAutomation,
  ListAutomations,
  PreviewRecipients,
  PreviewSchedule,
  pageOf,
  RecipientsPreview,
  ReplayCondition,
  SchedulePreview,
  SnoozeCondition,
  TriggerAutomation,
  TryAutomation,
  UpdateAutomation,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { valueErrors } from "../trpc/documented-errors.ts";
import { checked, memberProcedure, parsed, viewerProcedure } from "../trpc/procedures.ts";

export const automationRouter = {
  list: viewerProcedure("automations:read")
    .meta({ summary: "Lists the automations, newest first" })
    .input(parsed(ListAutomations.prefault({})))
    .output(checked(pageOf(AutomationOverview)))
    .query(({ ctx, input }) => listAutomations(ctx.deps, ctx.caller, input)),
  get: viewerProcedure("automations:read")
    .meta({
      summary: "Gets one automation, with its latest runs",
      errors: { not_found: "there is no such automation" },
    })
    .input(parsed(AutomationId))
    .output(checked(AutomationOverview))
    .query(({ ctx, input }) => getAutomation(ctx.deps, ctx.caller, input)),
  create: memberProcedure()
    .meta({
      summary: "Creates an automation ([what the fields do](../automations.md#creating-one))",
      errors: {
        ...valueErrors,
        not_found: "there is no such reference, or a subscriber is no member",
        conflict: "a reference has no query yet",
        model_missing: "the agent is `model`, and the organization has none that it may use",
      },
    })
    .input(parsed(CreateAutomation))
    .output(checked(Automation))
    .mutation(({ ctx, input }) => createAutomation(ctx.deps, ctx.caller, input)),
  update: memberProcedure()
    .meta({
      summary: "Updates the given fields; `enabled: false` pauses the automation",
      errors: {
        ...valueErrors,
        not_found: "there is no such automation or reference, or a subscriber is no member",
        conflict: "a reference has no query yet",
        model_missing: "the agent becomes `model`, and the organization has none that it may use",
      },
    })
    .input(parsed(UpdateAutomation))
    .output(checked(Automation))
    .mutation(({ ctx, input }) => updateAutomation(ctx.deps, ctx.caller, input)),
  delete: memberProcedure()
    .meta({
      summary: "Deletes an automation and stops its unfinished runs. Its chats are kept",
      errors: { not_found: "there is no such automation" },
    })
    .input(parsed(AutomationId))
    .mutation(({ ctx, input }) => deleteAutomation(ctx.deps, ctx.caller, input)),
  acknowledgeCondition: memberProcedure()
    .meta({
      summary: "Says that you have seen that the condition is met: it is not told again until it is resolved",
      errors: {
        not_found: "there is no such automation",
        conflict: "it has no condition, or the condition is not met",
      },
    })
    .input(parsed(AutomationId))
    .output(checked(AutomationConditionState))
    .mutation(({ ctx, input }) => acknowledgeCondition(ctx.deps, ctx.caller, input)),
  snoozeCondition: memberProcedure()
    .meta({
      summary: "Lets a condition tell people nothing until a time",
      errors: {
        not_found: "there is no such automation",
        conflict: "it has no condition",
      },
    })
    .input(parsed(SnoozeCondition))
    .output(checked(AutomationConditionState))
    .mutation(({ ctx, input }) => snoozeCondition(ctx.deps, ctx.caller, input)),
  replayCondition: memberProcedure()
    .meta({
      summary:
        "Tries a condition that is not saved on the past results of its chart: when it would have spoken",
      errors: { ...valueErrors, not_found: "there is no such reference" },
    })
    .input(parsed(ReplayCondition))
    .output(checked(ConditionReplay))
    .mutation(({ ctx, input, signal }) => replayCondition(ctx.deps, ctx.caller, input, signal)),
  listConditionChanges: viewerProcedure("automations:read")
    .meta({
      summary:
        "Lists the latest 100 runs in which the condition told something or changed its state, newest first",
      errors: { not_found: "there is no such automation" },
    })
    .input(parsed(AutomationId))
    .output(checked(ConditionChangeList))
    .query(({ ctx, input }) => listConditionChanges(ctx.deps, ctx.caller, input)),
  previewRecipients: memberProcedure()
    .meta({
      summary:
        "Shows who would get which rows, by the present result of the chart. It sends nothing ([recipients](../recipients.md))",
      errors: {
        ...valueErrors,
        not_found: "there is no such reference or destination",
        result_not_found: "the chart has no result with these values yet",
        result_expired: "its result is older than results may be",
      },
    })
    .input(parsed(PreviewRecipients))
    .output(checked(RecipientsPreview))
    .mutation(({ ctx, input, signal }) => previewRecipients(ctx.deps, ctx.caller, input, signal)),
  previewSchedule: memberProcedure("automations:read")
    .meta({ summary: "Gets the next three times of a schedule that is not saved yet" })
    .input(parsed(PreviewSchedule))
    .output(checked(SchedulePreview))
    .query(({ ctx, input }) => previewSchedule(ctx.deps, input)),
  try: memberProcedure()
    .meta({
      summary:
        "Runs values that are not saved, once, without an event or notifications ([trials](../automations.md#trials))",
      errors: {
        ...valueErrors,
        not_found: "there is no such automation or reference",
        conflict: "a reference has no query yet",
        model_missing: "the agent is `model`, and the organization has none that it may use",
        automation_busy: "a trial of the same person is unfinished",
      },
    })
    .input(parsed(TryAutomation))
    .output(checked(AutomationRun))
    .mutation(({ ctx, input }) => tryAutomation(ctx.deps, ctx.caller, input)),
  trigger: memberProcedure("automations:run")
    .meta({
      summary: "Starts a run now, or queues it behind an unfinished one",
      errors: {
        not_found: "there is no such automation",
        automation_paused: "the automation is paused, and `whilePaused` is not set",
        automation_busy: "a run is unfinished and `whenBusy` is `refuse`, or ten runs are queued",
      },
    })
    .input(parsed(TriggerAutomation))
    .output(checked(AutomationRun))
    .mutation(({ ctx, input }) => triggerAutomation(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
