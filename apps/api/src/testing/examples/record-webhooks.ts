import { createHmac } from "node:crypto";
import type { Deps } from "@querybell/core";
import { updateAutomation } from "@querybell/core/automations";
import { insertSubscription } from "@querybell/core/testing/insert-subscription";
import { createEndpoint } from "@querybell/core/webhooks";
import { CreateWebhookEndpoint } from "@querybell/domain";
import type { ExampleContext } from "./example-context.ts";

export interface RecordedEndpoint {
  id: string;
  url: string;
  secret: { id: string; secret: string };
}

/** Before automations run, so that they emit events for the endpoint. */
export async function recordNewEndpoint({ deps, record, caller }: ExampleContext): Promise<RecordedEndpoint> {
  const { organizationId: id } = caller;
  await deps.db.prisma.organization.update({ where: { id }, data: { webhooksEnabled: true } });
  return record("webhookEndpoints.create", {
    url: "http://127.0.0.1:4002/",
    description: "The receiver of npm start",
    eventTypes: ["automation.run.completed", "automation.run.failed"],
    headers: { "x-team": "fruit" },
  });
}

/** After automations have run. */
export async function recordWebhooks(context: ExampleContext, endpoint: RecordedEndpoint): Promise<void> {
  const { deps, record, caller } = context;
  const { id } = endpoint;
  await record("webhookEndpoints.list");
  await record("webhookEndpoints.eventTypes", { type: "automation.run.failed" });
  await recordDeliveries(context, endpoint);
  await recordRecoveries(context, id);
  await record("webhookEndpoints.health", { id });
  const conditions = [{ field: "summary", operator: "contains" as const, value: "pear" }];
  await record("webhookEndpoints.update", { id, maxPerSecond: 50, filter: { conditions } });
  await record("webhookEndpoints.sendTest", { id });
  await record("webhookEndpoints.rotateSecret", { id, overlapHours: 24 });
  await record("webhookEndpoints.switchSecret", { id });
  await record("webhookEndpoints.disable", { id });
  await record("webhookEndpoints.get", { id });
  await record("webhookEndpoints.enable", { id, held: "deliver", perSecond: 5 });
  const settings = { url: "http://127.0.0.1:4002/unused", eventTypes: ["automation.run.failed"] };
  const unused = await createEndpoint(deps, caller, CreateWebhookEndpoint.parse(settings));
  await record("webhookEndpoints.delete", { id: unused.id });
  await recordDestinations(context);
  await recordSubscriptions(context);
}

async function recordDestinations({ deps, record, caller }: ExampleContext): Promise<void> {
  const url = "http://127.0.0.1:4002/services/T000/B000/XXXX";
  const { id } = await record("destinations.create", { kind: "slack", name: "#revenue", url });
  const { organizationId } = caller;
  const automation = await deps.db.prisma.automation.findFirstOrThrow({
    where: { organizationId, deletedAt: null },
  });
  const destinations = [{ destinationId: id, events: ["automation.run.failed" as const] }];
  await updateAutomation(deps, caller, { id: automation.id, destinations });
  await record("destinations.update", { id, name: "#sales" });
  await record("destinations.get", { id });
  await record("destinations.list");
  await record("destinations.choices");
}

async function recordSubscriptions({ deps, record, caller }: ExampleContext): Promise<void> {
  const url = "https://assistant.example.com/events";
  const id = await insertSubscription(deps, caller, { url, event: "automation.run.completed" });
  await record("eventSubscriptions.list");
  await record("eventSubscriptions.end", { id });
}

async function recordDeliveries({ deps, record }: ExampleContext, endpoint: RecordedEndpoint): Promise<void> {
  const first = await deps.db.prisma.webhookDelivery.findFirstOrThrow({
    where: { endpointId: endpoint.id, event: { type: "automation.run.completed" } },
  });
  await failAttempt(deps, endpoint, first);
  await record("webhookDeliveries.search", { state: "exhausted", from: "2026-11-01T00:00:00Z" });
  await record("webhookDeliveries.get", { id: first.id });
  const { secret } = endpoint.secret;
  await record("webhookDeliveries.debugSignature", { deliveryId: first.id, attempt: 1, secret });
  await record("webhookDeliveries.resend", { id: first.id });
}

/** Writes what the pump would write after a failed last attempt. */
async function failAttempt(
  { db, clock }: Deps,
  { url, secret }: RecordedEndpoint,
  { id: deliveryId, eventId }: { id: string; eventId: string },
): Promise<void> {
  const now = clock.now();
  const timestamp = String(now.getTime() / 1000);
  const { body } = await db.prisma.webhookEvent.findUniqueOrThrow({ where: { id: eventId } });
  const signature = createHmac("sha256", Buffer.from(secret.secret.replace(/^whsec_/, ""), "base64"))
    .update(`${eventId}.${timestamp}.`)
    .update(body)
    .digest("hex");
  await db.prisma.webhookAttempt.create({
    data: {
      deliveryId,
      number: 1,
      outcome: "status_500",
      sentence: "The endpoint answered 500.",
      status: 500,
      startedAt: now,
      endedAt: now,
      url,
      address: "127.0.0.1",
      reusedConnection: false,
      requestHeaders: [
        ...["content-type", "application/json"],
        ...["svc-webhook-id", eventId],
        ...["svc-webhook-timestamp", timestamp],
        ...["svc-webhook-signature", `v1=${signature}`],
      ],
      secretId: secret.id,
      responseHeaders: { "content-type": "text/plain" },
      responseBody: Buffer.from("Out of order"),
      responseBytes: 12,
      bodyEnd: "complete",
      connectMs: 1,
      firstByteMs: 12,
      totalMs: 13,
    },
  });
  await db.prisma.webhookDelivery.update({
    where: { id: deliveryId },
    data: { state: "exhausted", attemptCount: 1, stateChangedAt: now },
  });
}

async function recordRecoveries({ record }: ExampleContext, endpointId: string): Promise<void> {
  const since = "2026-11-01T00:00:00Z";
  await record("webhookRecoveries.preview", { endpointId, since });
  const { id } = await record("webhookRecoveries.start", { endpointId, since, perSecond: 20 });
  await record("webhookRecoveries.get", { id });
  await record("webhookRecoveries.list", { endpointId });
  await record("webhookRecoveries.cancel", { id });
}
