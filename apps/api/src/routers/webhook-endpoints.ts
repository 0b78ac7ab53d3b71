import {
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  getEndpoint,
  listEndpoints,
  readEndpointHealth,
  rotateSecret,
  sendTestEvent,
  switchSecret,
  updateEndpoint,
} from "@querybell/core/webhooks";
import {
  CreatedWebhookEndpoint,
  CreateWebhookEndpoint,
  EnableWebhookEndpoint,
  RevealedWebhookSecret,
  RotateWebhookSecret,
  UpdateWebhookEndpoint,
  WebhookDeliveryId,
  WebhookEndpoint,
  WebhookEndpointHealth,
  WebhookEndpointId,
} from "@querybell/domain";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked } from "../trpc/checked.ts";
import { webhookProcedure } from "../trpc/procedures.ts";

export const webhookEndpointRouter = {
  list: webhookProcedure
    .meta({ summary: "The webhook endpoints" })
    .output(checked(WebhookEndpoint.array()))
    .query(({ ctx }) => listEndpoints(ctx.deps, ctx.caller)),
  get: webhookProcedure
    .meta({ summary: "One endpoint", errors: { not_found: "there is no such endpoint" } })
    .input(WebhookEndpointId)
    .output(checked(WebhookEndpoint))
    .query(({ ctx, input }) => getEndpoint(ctx.deps, ctx.caller, input)),
  health: webhookProcedure
    .meta({
      summary:
        "How an endpoint did in the last day: attempts by the hour, deliveries by state, times, the last failure",
      errors: { not_found: "there is no such endpoint" },
    })
    .input(WebhookEndpointId)
    .output(checked(WebhookEndpointHealth))
    .query(({ ctx, input }) => readEndpointHealth(ctx.deps, ctx.caller, input)),
  create: webhookProcedure
    .meta({ summary: "Makes an endpoint. Its secret is shown once" })
    .input(CreateWebhookEndpoint)
    .output(checked(CreatedWebhookEndpoint))
    .mutation(({ ctx, input }) => createEndpoint(ctx.deps, ctx.caller, input)),
  update: webhookProcedure
    .meta({
      summary: "Changes address, event types, headers or limits",
      errors: { not_found: "there is no such endpoint" },
    })
    .input(UpdateWebhookEndpoint)
    .output(checked(WebhookEndpoint))
    .mutation(({ ctx, input }) => updateEndpoint(ctx.deps, ctx.caller, input)),
  disable: webhookProcedure
    .meta({
      summary: "Holds everything for an endpoint",
      errors: { not_found: "there is no such endpoint", conflict: "the endpoint is disabled already" },
    })
    .input(WebhookEndpointId)
    .output(checked(WebhookEndpoint))
    .mutation(({ ctx, input }) => disableEndpoint(ctx.deps, ctx.caller, input)),
  enable: webhookProcedure
    .meta({
      summary: "Sends again; `held` says whether to deliver or drop what was held",
      errors: { not_found: "there is no such endpoint", conflict: "the endpoint is enabled already" },
    })
    .input(EnableWebhookEndpoint)
    .output(checked(WebhookEndpoint))
    .mutation(({ ctx, input }) => enableEndpoint(ctx.deps, ctx.caller, input)),
  delete: webhookProcedure
    .meta({
      summary: "Deletes an endpoint and cancels what is unfinished",
      errors: { not_found: "there is no such endpoint" },
    })
    .input(WebhookEndpointId)
    .mutation(({ ctx, input }) => deleteEndpoint(ctx.deps, ctx.caller, input)),
  rotateSecret: webhookProcedure
    .meta({
      summary: "Makes a new secret, which signs after an overlap or at once. It is shown once",
      errors: {
        not_found: "there is no such endpoint",
        conflict: "a rotation is under way, and an overlap is asked for",
      },
    })
    .input(RotateWebhookSecret)
    .output(checked(RevealedWebhookSecret))
    .mutation(({ ctx, input }) => rotateSecret(ctx.deps, ctx.caller, input)),
  switchSecret: webhookProcedure
    .meta({
      summary: "Ends the overlap of a rotation now",
      errors: { not_found: "there is no such endpoint", conflict: "no rotation is under way" },
    })
    .input(WebhookEndpointId)
    .output(checked(WebhookEndpoint))
    .mutation(({ ctx, input }) => switchSecret(ctx.deps, ctx.caller, input)),
  sendTest: webhookProcedure
    .meta({
      summary: "Sends one sample event, once",
      errors: { not_found: "there is no such endpoint", conflict: "the endpoint is disabled" },
    })
    .input(WebhookEndpointId)
    .output(checked(WebhookDeliveryId))
    .mutation(({ ctx, input }) => sendTestEvent(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
