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
import { checked } from "../trpc/checked.ts";
import { webhookProcedure } from "../trpc/procedures.ts";

export const webhookDeliveryRouter = {
  search: webhookProcedure
    .meta({ summary: "Deliveries by endpoint, event, type, state and time, newest first" })
    .input(SearchWebhookDeliveries.prefault({}))
    .output(checked(WebhookDeliveryPage))
    .query(({ ctx, input }) => searchDeliveries(ctx.deps, ctx.caller, input)),
  get: webhookProcedure
    .meta({
      summary: "One delivery, with its body and its attempts",
      errors: { not_found: "there is no such delivery" },
    })
    .input(WebhookDeliveryId)
    .output(checked(WebhookDeliveryDetail))
    .query(({ ctx, input }) => getDelivery(ctx.deps, ctx.caller, input)),
  // A mutation, though it changes nothing: so a secret travels in the body and never in an address.
  debugSignature: webhookProcedure
    .meta({
      summary:
        "What an attempt signed, with which secret, and whether yours is that one. A mutation, so that the secret is in no address",
      errors: {
        not_found: "there is no such delivery or attempt",
        conflict: "the attempt was refused before anything was signed",
      },
    })
    .input(DebugWebhookSignature)
    .output(checked(WebhookSignatureExplained))
    .mutation(({ ctx, input }) => debugSignature(ctx.deps, ctx.caller, input)),
  resend: webhookProcedure
    .meta({
      summary: "Sends the event of a delivery again; answers the new delivery",
      errors: {
        not_found: "there is no such delivery",
        conflict: "the endpoint is disabled, or the delivery is a test",
      },
    })
    .input(WebhookDeliveryId)
    .output(checked(WebhookDeliveryId))
    .mutation(({ ctx, input }) => resendDelivery(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
