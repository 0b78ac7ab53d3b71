import { createHmac } from "node:crypto";
import type { Deps } from "@querybell/core";
import { createEndpoint } from "@querybell/core/webhooks";
import { CreateWebhookEndpoint } from "@querybell/domain";
import type { Scene } from "./scene.ts";

export interface PlayedEndpoint {
  id: string;
  url: string;
  secret: { id: string; secret: string };
}

/** Before automations run, so that they emit events for the endpoint. */
export async function playNewEndpoint({ deps, play, caller }: Scene): Promise<PlayedEndpoint> {
  const { organizationId: id } = caller;
  await deps.db.prisma.organization.update({ where: { id }, data: { webhooksEnabled: true } });
  return play("webhookEndpoints.create", {
    url: "http://127.0.0.1:4002/",
    description: "The receiver of npm start",
    eventTypes: ["automation.run.completed", "automation.run.failed"],
    headers: { "x-team": "fruit" },
  });
}

/** After automations have run. */
export async function playWebhooks(scene: Scene, endpoint: PlayedEndpoint): Promise<void> {
  const { deps, play, caller } = scene;
  const { id } = endpoint;
  await play("webhookEndpoints.list");
  await playDeliveries(scene, endpoint);
  await playRecoveries(scene, id);
  await play("webhookEndpoints.health", { id });
  await play("webhookEndpoints.update", { id, maxPerSecond: 50 });
  await play("webhookEndpoints.sendTest", { id });
  await play("webhookEndpoints.rotateSecret", { id, overlapHours: 24 });
  await play("webhookEndpoints.switchSecret", { id });
  await play("webhookEndpoints.disable", { id });
  await play("webhookEndpoints.get", { id });
  await play("webhookEndpoints.enable", { id, held: "deliver", perSecond: 5 });
  const settings = { url: "http://127.0.0.1:4002/unused", eventTypes: ["automation.run.failed"] };
  const unused = await createEndpoint(deps, caller, CreateWebhookEndpoint.parse(settings));
  await play("webhookEndpoints.delete", { id: unused.id });
}

async function playDeliveries({ deps, play }: Scene, endpoint: PlayedEndpoint): Promise<void> {
  const first = await deps.db.prisma.webhookDelivery.findFirstOrThrow({
    where: { endpointId: endpoint.id, event: { type: "automation.run.completed" } },
  });
  await failAttempt(deps, endpoint, first);
  await play("webhookDeliveries.search", { state: "exhausted", from: "2026-11-01T00:00:00Z" });
  await play("webhookDeliveries.get", { id: first.id });
  const { secret } = endpoint.secret;
  await play("webhookDeliveries.debugSignature", { deliveryId: first.id, attempt: 1, secret });
  await play("webhookDeliveries.resend", { id: first.id });
}

/** Writes what the pump would write after a failed last attempt. */
async function failAttempt(
  { db, clock }: Deps,
  { url, secret }: PlayedEndpoint,
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

async function playRecoveries({ play }: Scene, endpointId: string): Promise<void> {
  const since = "2026-11-01T00:00:00Z";
  await play("webhookRecoveries.preview", { endpointId, since });
  const { id } = await play("webhookRecoveries.start", { endpointId, since, perSecond: 20 });
  await play("webhookRecoveries.get", { id });
  await play("webhookRecoveries.list", { endpointId });
  await play("webhookRecoveries.cancel", { id });
}
