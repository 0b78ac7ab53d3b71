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
import { checked } from "../trpc/checked.ts";
import { webhookProcedure } from "../trpc/procedures.ts";

export const webhookRecoveryRouter = {
  preview: webhookProcedure
    .meta({
      summary: "How many events have failed since a time",
      errors: { not_found: "there is no such endpoint" },
    })
    .input(PreviewWebhookRecovery)
    .output(checked(WebhookRecoveryPreview))
    .query(({ ctx, input }) => previewRecovery(ctx.deps, ctx.caller, input)),
  start: webhookProcedure
    .meta({
      summary: "Sends them again, at a pace",
      errors: {
        not_found: "there is no such endpoint",
        conflict: "the endpoint is disabled, or a recovery of it is running",
      },
    })
    .input(StartWebhookRecovery)
    .output(checked(WebhookRecovery))
    .mutation(({ ctx, input }) => startRecovery(ctx.deps, ctx.caller, input)),
  list: webhookProcedure
    .meta({ summary: "The recoveries of one endpoint, or of all, newest first" })
    .input(ListWebhookRecoveries.prefault({}))
    .output(checked(WebhookRecovery.array()))
    .query(({ ctx, input }) => listRecoveries(ctx.deps, ctx.caller, input)),
  get: webhookProcedure
    .meta({ summary: "How far a recovery is", errors: { not_found: "there is no such recovery" } })
    .input(WebhookRecoveryId)
    .output(checked(WebhookRecovery))
    .query(({ ctx, input }) => getRecovery(ctx.deps, ctx.caller, input)),
  cancel: webhookProcedure
    .meta({
      summary: "Stops a recovery",
      errors: {
        not_found: "there is no such recovery",
        conflict: "the recovery has ended, or drops what was held",
      },
    })
    .input(WebhookRecoveryId)
    .output(checked(WebhookRecovery))
    .mutation(({ ctx, input }) => cancelRecovery(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
