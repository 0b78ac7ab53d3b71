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
import { webhookProcedure } from "../trpc/procedures.ts";

export const webhookRecoveryRouter = {
  preview: webhookProcedure
    .input(PreviewWebhookRecovery)
    .output(WebhookRecoveryPreview)
    .query(({ ctx, input }) => previewRecovery(ctx.deps, ctx.caller, input)),
  start: webhookProcedure
    .input(StartWebhookRecovery)
    .output(WebhookRecovery)
    .mutation(({ ctx, input }) => startRecovery(ctx.deps, ctx.caller, input)),
  list: webhookProcedure
    .input(ListWebhookRecoveries.prefault({}))
    .output(WebhookRecovery.array())
    .query(({ ctx, input }) => listRecoveries(ctx.deps, ctx.caller, input)),
  get: webhookProcedure
    .input(WebhookRecoveryId)
    .output(WebhookRecovery)
    .query(({ ctx, input }) => getRecovery(ctx.deps, ctx.caller, input)),
  cancel: webhookProcedure
    .input(WebhookRecoveryId)
    .output(WebhookRecovery)
    .mutation(({ ctx, input }) => cancelRecovery(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
