import type { Deps } from "@querybell/core";
import { createEndpoint, startRecovery } from "@querybell/core/webhooks";
import { type Caller, CreateWebhookEndpoint, newId } from "@querybell/domain";
import { emitEvents } from "@querybell/webhooks/testing/emit-events";

/** An endpoint with a secret, an event, a delivery with an attempt, a recovery and a notification about it. */
export async function makeWebhooksWithEverything(deps: Deps, caller: Caller, marker: string): Promise<void> {
  const { db, clock } = deps;
  const { organizationId, userId } = caller;
  await db.prisma.organization.update({ where: { id: organizationId }, data: { webhooksEnabled: true } });
  await db.prisma.eventStream.create({ data: { organizationId } });
  const url = `http://127.0.0.1:9/${marker}`;
  const settings = { url, description: marker, eventTypes: ["automation.run.failed"] };
  const endpoint = await createEndpoint(deps, caller, CreateWebhookEndpoint.parse(settings));
  const data = { automationId: newId(clock), runId: newId(clock), reason: marker };
  const occurrence = { type: "automation.run.failed", data } as const;
  await db.transaction((tx) => emitEvents({ tx, clock }, [{ organizationId, occurrence, cause: marker }]));
  await startRecovery(deps, caller, {
    endpointId: endpoint.id,
    since: new Date(0).toISOString(),
    perSecond: 1,
  });
  const now = clock.now();
  const { id: deliveryId } = await db.prisma.webhookDelivery.findFirstOrThrow({
    where: { endpointId: endpoint.id },
  });
  await db.prisma.webhookAttempt.create({
    data: {
      deliveryId,
      number: 1,
      outcome: "status_500",
      sentence: marker,
      status: 500,
      startedAt: now,
      endedAt: now,
      url,
      reusedConnection: false,
      requestHeaders: ["svc-webhook-timestamp", "1", "svc-webhook-signature", `v1=${marker}`],
      secretId: endpoint.secret.id,
      responseHeaders: {},
      responseBody: Buffer.from(marker),
      responseBytes: marker.length,
      bodyEnd: "complete",
      totalMs: 1,
    },
  });
  await db.prisma.notification.create({
    data: {
      id: newId(clock),
      userId,
      organizationId,
      kind: "webhook_endpoint_failing",
      detail: { endpointId: endpoint.id, url, failures: 1 },
      createdAt: now,
    },
  });
}
