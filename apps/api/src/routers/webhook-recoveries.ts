import {
  cancelRecovery,
  getRecovery,
  listRecoveries,
  previewRecovery,
  startRecovery,
} from "@querybell/core/webhooks";
import {
  ListWebhookRecoveries,
  PreviewWebhookRecovery,
  StartWebhookRecovery,
  WebhookRecovery,
  WebhookRecoveryId,
  WebhookRecoveryPreview,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked, parsed, webhookProcedure } from "../trpc/procedures.ts";

export const webhookRecoveryRouter = {
  preview: webhookProcedure
    .meta({
      summary: "Counts the deliveries that failed since a time",
      errors: { not_found: "there is no such endpoint" },
    })
    .input(parsed(PreviewWebhookRecovery))
    .output(checked(WebhookRecoveryPreview))
    .query(({ ctx, input }) => previewRecovery(ctx.deps, ctx.caller, input)),
  start: webhookProcedure
    .meta({
      summary: "Starts a recovery: sends the deliveries that failed since a time again, at a given rate",
      errors: {
        not_found: "there is no such endpoint",
        conflict: "the endpoint is disabled, or a recovery of it is running",
      },
    })
    .input(parsed(StartWebhookRecovery))
    .output(checked(WebhookRecovery))
    .mutation(({ ctx, input }) => startRecovery(ctx.deps, ctx.caller, input)),
  list: webhookProcedure
    .meta({ summary: "Lists the recoveries of one endpoint, or of all, newest first" })
    .input(parsed(ListWebhookRecoveries.prefault({})))
    .output(checked(WebhookRecovery.array()))
    .query(({ ctx, input }) => listRecoveries(ctx.deps, ctx.caller, input)),
  get: webhookProcedure
    .meta({
      summary: "Gets a recovery with its progress",
      errors: { not_found: "there is no such recovery" },
    })
    .input(parsed(WebhookRecoveryId))
    .output(checked(WebhookRecovery))
    .query(({ ctx, input }) => getRecovery(ctx.deps, ctx.caller, input)),
  cancel: webhookProcedure
    .meta({
      summary: "Cancels a recovery",
      errors: {
        not_found: "there is no such recovery",
        conflict: "the recovery has ended, or drops what was held",
      },
    })
    .input(parsed(WebhookRecoveryId))
    .output(checked(WebhookRecovery))
    .mutation(({ ctx, input }) => cancelRecovery(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
