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
import {
  ListWebhookEventTypes,
  WebhookEventTypeEntry,
  webhookEventCatalogue,
} from "@querybell/domain/webhook-event-catalogue";
import type { TRPCRouterRecord } from "@trpc/server";
import { checked, parsed, webhookProcedure } from "../trpc/procedures.ts";

export const webhookEndpointRouter = {
  list: webhookProcedure
    .meta({ summary: "Lists the webhook endpoints" })
    .output(checked(WebhookEndpoint.array()))
    .query(({ ctx }) => listEndpoints(ctx.deps, ctx.caller)),
  eventTypes: webhookProcedure
    .meta({ summary: "Lists the types of events, with a JSON Schema and an example of each" })
    .input(parsed(ListWebhookEventTypes))
    .output(checked(WebhookEventTypeEntry.array()))
    .query(({ input }) => webhookEventCatalogue.filter(({ type }) => type === (input.type ?? type))),
  get: webhookProcedure
    .meta({ summary: "Gets one endpoint", errors: { not_found: "there is no such endpoint" } })
    .input(parsed(WebhookEndpointId))
    .output(checked(WebhookEndpoint))
    .query(({ ctx, input }) => getEndpoint(ctx.deps, ctx.caller, input)),
  health: webhookProcedure
    .meta({
      summary:
        "Gets statistics of the last 24 hours: attempts by hour, deliveries by state, durations, the last failure",
      errors: { not_found: "there is no such endpoint" },
    })
    .input(parsed(WebhookEndpointId))
    .output(checked(WebhookEndpointHealth))
    .query(({ ctx, input }) => readEndpointHealth(ctx.deps, ctx.caller, input)),
  create: webhookProcedure
    .meta({ dangerous: true, summary: "Creates an endpoint. Its secret is shown once" })
    .input(parsed(CreateWebhookEndpoint))
    .output(checked(CreatedWebhookEndpoint))
    .mutation(({ ctx, input }) => createEndpoint(ctx.deps, ctx.caller, input)),
  update: webhookProcedure
    .meta({
      summary: "Updates the URL, event types, filter, headers or limits",
      errors: { not_found: "there is no such endpoint" },
    })
    .input(parsed(UpdateWebhookEndpoint))
    .output(checked(WebhookEndpoint))
    .mutation(({ ctx, input }) => updateEndpoint(ctx.deps, ctx.caller, input)),
  disable: webhookProcedure
    .meta({
      summary: "Disables an endpoint. Its deliveries are held",
      errors: { not_found: "there is no such endpoint", conflict: "the endpoint is disabled already" },
    })
    .input(parsed(WebhookEndpointId))
    .output(checked(WebhookEndpoint))
    .mutation(({ ctx, input }) => disableEndpoint(ctx.deps, ctx.caller, input)),
  enable: webhookProcedure
    .meta({
      summary: "Enables an endpoint. `held` says whether its held deliveries are sent or dropped",
      errors: { not_found: "there is no such endpoint", conflict: "the endpoint is enabled already" },
    })
    .input(parsed(EnableWebhookEndpoint))
    .output(checked(WebhookEndpoint))
    .mutation(({ ctx, input }) => enableEndpoint(ctx.deps, ctx.caller, input)),
  delete: webhookProcedure
    .meta({
      dangerous: true,
      summary: "Deletes an endpoint and cancels its unfinished deliveries",
      errors: { not_found: "there is no such endpoint" },
    })
    .input(parsed(WebhookEndpointId))
    .mutation(({ ctx, input }) => deleteEndpoint(ctx.deps, ctx.caller, input)),
  rotateSecret: webhookProcedure
    .meta({
      dangerous: true,
      summary: "Creates a new secret, which signs after an overlap or at once. It is shown once",
      errors: {
        not_found: "there is no such endpoint",
        conflict: "a rotation is under way, and an overlap is asked for",
      },
    })
    .input(parsed(RotateWebhookSecret))
    .output(checked(RevealedWebhookSecret))
    .mutation(({ ctx, input }) => rotateSecret(ctx.deps, ctx.caller, input)),
  switchSecret: webhookProcedure
    .meta({
      summary: "Ends the overlap of a rotation: the new secret signs from now on",
      errors: { not_found: "there is no such endpoint", conflict: "no rotation is under way" },
    })
    .input(parsed(WebhookEndpointId))
    .output(checked(WebhookEndpoint))
    .mutation(({ ctx, input }) => switchSecret(ctx.deps, ctx.caller, input)),
  sendTest: webhookProcedure
    .meta({
      summary: "Sends a test event, without retries",
      errors: { not_found: "there is no such endpoint", conflict: "the endpoint is disabled" },
    })
    .input(parsed(WebhookEndpointId))
    .output(checked(WebhookDeliveryId))
    .mutation(({ ctx, input }) => sendTestEvent(ctx.deps, ctx.caller, input)),
} satisfies TRPCRouterRecord;
