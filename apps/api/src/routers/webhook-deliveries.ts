import { debugSignature, getDelivery, resendDelivery, searchDeliveries } from "@querybell/core/webhooks";
import {
  DebugWebhookSignature,
  SearchWebhookDeliveries,
  WebhookDeliveryDetail,
  WebhookDeliveryId,
  WebhookDeliveryPage,
  WebhookSignatureExplained,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { webhookProcedure } from "../trpc/procedures.ts";

export const webhookDeliveryRouter = {
  search: webhookProcedure
    .input(SearchWebhookDeliveries.prefault({}))
    .output(WebhookDeliveryPage)
    .query(({ ctx, input }) => searchDeliveries(ctx.deps, ctx.caller, input)),
  get: webhookProcedure
    .input(WebhookDeliveryId)
    .output(WebhookDeliveryDetail)
    .query(({ ctx, input }) => getDelivery(ctx.deps, ctx.caller, input)),
  // A mutation, though it changes nothing: so a secret travels in the body and never in an address.
  debugSignature: webhookProcedure
    .input(DebugWebhookSignature)
    .output(WebhookSignatureExplained)
    .mutation(({ ctx, input }) => debugSignature(ctx.deps, ctx.caller, input)),
  resend: webhookProcedure
    .input(WebhookDeliveryId)
    .output(WebhookDeliveryId)
    .mutation(({ ctx, input }) => resendDelivery(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
