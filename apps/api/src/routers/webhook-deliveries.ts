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
import { checked, parsed, webhookProcedure } from "../trpc/procedures.ts";

export const webhookDeliveryRouter = {
  search: webhookProcedure
    .meta({ summary: "Lists deliveries, newest first; filtered by endpoint, event, type, state and time" })
    .input(parsed(SearchWebhookDeliveries.prefault({})))
    .output(checked(WebhookDeliveryPage))
    .query(({ ctx, input }) => searchDeliveries(ctx.deps, ctx.caller, input)),
  get: webhookProcedure
    .meta({
      summary: "Gets one delivery, with its body and its attempts",
      errors: { not_found: "there is no such delivery" },
    })
    .input(parsed(WebhookDeliveryId))
    .output(checked(WebhookDeliveryDetail))
    .query(({ ctx, input }) => getDelivery(ctx.deps, ctx.caller, input)),
  // A mutation, although it changes nothing, so that the secret is sent in the body and not in a URL.
  debugSignature: webhookProcedure
    .meta({
      summary:
        "Gets what an attempt signed and with which secret, and compares yours. A mutation, so that the secret is not in a URL",
      errors: {
        not_found: "there is no such delivery or attempt",
        conflict: "the attempt was refused before anything was signed",
      },
    })
    .input(parsed(DebugWebhookSignature))
    .output(checked(WebhookSignatureExplained))
    .mutation(({ ctx, input }) => debugSignature(ctx.deps, ctx.caller, input)),
  resend: webhookProcedure
    .meta({
      summary: "Sends the event of a delivery again. Returns the new delivery",
      errors: {
        not_found: "there is no such delivery",
        conflict: "the endpoint is disabled, or the delivery is a test",
      },
    })
    .input(parsed(WebhookDeliveryId))
    .output(checked(WebhookDeliveryId))
    .mutation(({ ctx, input }) => resendDelivery(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
