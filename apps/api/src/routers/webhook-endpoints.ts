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
import { webhookProcedure } from "../trpc/procedures.ts";

export const webhookEndpointRouter = {
  list: webhookProcedure
    .output(WebhookEndpoint.array())
    .query(({ ctx }) => listEndpoints(ctx.deps, ctx.caller)),
  get: webhookProcedure
    .input(WebhookEndpointId)
    .output(WebhookEndpoint)
    .query(({ ctx, input }) => getEndpoint(ctx.deps, ctx.caller, input)),
  health: webhookProcedure
    .input(WebhookEndpointId)
    .output(WebhookEndpointHealth)
    .query(({ ctx, input }) => readEndpointHealth(ctx.deps, ctx.caller, input)),
  create: webhookProcedure
    .input(CreateWebhookEndpoint)
    .output(CreatedWebhookEndpoint)
    .mutation(({ ctx, input }) => createEndpoint(ctx.deps, ctx.caller, input)),
  update: webhookProcedure
    .input(UpdateWebhookEndpoint)
    .output(WebhookEndpoint)
    .mutation(({ ctx, input }) => updateEndpoint(ctx.deps, ctx.caller, input)),
  disable: webhookProcedure
    .input(WebhookEndpointId)
    .output(WebhookEndpoint)
    .mutation(({ ctx, input }) => disableEndpoint(ctx.deps, ctx.caller, input)),
  enable: webhookProcedure
    .input(EnableWebhookEndpoint)
    .output(WebhookEndpoint)
    .mutation(({ ctx, input }) => enableEndpoint(ctx.deps, ctx.caller, input)),
  delete: webhookProcedure
    .input(WebhookEndpointId)
    .mutation(({ ctx, input }) => deleteEndpoint(ctx.deps, ctx.caller, input)),
  rotateSecret: webhookProcedure
    .input(RotateWebhookSecret)
    .output(RevealedWebhookSecret)
    .mutation(({ ctx, input }) => rotateSecret(ctx.deps, ctx.caller, input)),
  switchSecret: webhookProcedure
    .input(WebhookEndpointId)
    .output(WebhookEndpoint)
    .mutation(({ ctx, input }) => switchSecret(ctx.deps, ctx.caller, input)),
  sendTest: webhookProcedure
    .input(WebhookEndpointId)
    .output(WebhookDeliveryId)
    .mutation(({ ctx, input }) => sendTestEvent(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
