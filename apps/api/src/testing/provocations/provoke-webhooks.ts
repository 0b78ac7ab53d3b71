import { createDestination } from "@querybell/core/destinations";
import {
  createEndpoint,
  disableEndpoint,
  rotateSecret,
  sendTestEvent,
  startRecovery,
} from "@querybell/core/webhooks";
import { CreateWebhookEndpoint, maxDestinations, newId } from "@querybell/domain";
import { emitEvents } from "@querybell/webhooks/testing/emit-events";
import type { ProvocationContext } from "./provoke.ts";

/** Errors because of the state of an endpoint or of a delivery. */
export async function provokeWebhooks(context: ProvocationContext): Promise<void> {
  const { deps, owner, provoke } = context;
  const { organizationId: id } = owner;
  await deps.db.prisma.organization.update({ where: { id }, data: { webhooksEnabled: true } });
  const enabled = await newEndpoint(context);
  await provoke("webhookEndpoints.enable", "conflict", { id: enabled.id, held: "drop" });
  await provoke("webhookEndpoints.switchSecret", "conflict", { id: enabled.id });
  const test = await sendTestEvent(deps, owner, enabled);
  await provoke("webhookDeliveries.resend", "conflict", { id: test.id });
  await provokeUnsigned(context, enabled);

  const since = "2000-01-01T00:00:00.000Z";
  const recovery = await startRecovery(deps, owner, { endpointId: enabled.id, since, perSecond: 1 });
  await provoke("webhookRecoveries.start", "conflict", { endpointId: enabled.id, since });
  await deps.db.prisma.webhookRecovery.update({ where: { id: recovery.id }, data: { state: "completed" } });
  await provoke("webhookRecoveries.cancel", "conflict", { id: recovery.id });

  const disabled = await newEndpoint(context);
  await disableEndpoint(deps, owner, disabled);
  await provoke("webhookEndpoints.disable", "conflict", { id: disabled.id });
  await provoke("webhookEndpoints.sendTest", "conflict", { id: disabled.id });
  await provokeTooManyDestinations(context);
  await rotateSecret(deps, owner, { id: enabled.id, overlapHours: 1 });
  await provoke("webhookEndpoints.rotateSecret", "conflict", { id: enabled.id });
}

async function provokeTooManyDestinations({ deps, owner, provoke }: ProvocationContext): Promise<void> {
  const destination = { kind: "slack", name: "#general", url: "http://127.0.0.1:9/" } as const;
  const { id } = await createDestination(deps, owner, destination);
  const {
    id: _id,
    filter: _filter,
    rowRecipients: _rowRecipients,
    ...row
  } = await deps.db.prisma.webhookEndpoint.findUniqueOrThrow({ where: { id } });
  await deps.db.prisma.webhookEndpoint.createMany({
    data: Array.from({ length: maxDestinations - 1 }, () => ({ ...row, id: newId(deps.clock) })),
  });
  await provoke("destinations.create", "conflict", destination);
  // Others need one, too.
  await deps.db.prisma.webhookEndpoint.deleteMany({
    where: { organizationId: owner.organizationId, kind: "slack", id: { not: id } },
  });
}

const newEndpoint = ({ deps, owner }: ProvocationContext) =>
  createEndpoint(
    deps,
    owner,
    CreateWebhookEndpoint.parse({ url: "http://127.0.0.1:9/", eventTypes: ["automation.run.failed"] }),
  );

/** An attempt that the guard refused before it was signed. */
async function provokeUnsigned(
  { deps, owner, provoke }: ProvocationContext,
  { id: endpointId, secret }: Awaited<ReturnType<typeof newEndpoint>>,
): Promise<void> {
  const { db, clock } = deps;
  const data = { automationId: newId(clock), runId: newId(clock), reason: "stopped" };
  const emission = {
    organizationId: owner.organizationId,
    occurrence: { type: "automation.run.failed", data },
    cause: "test",
  } as const;
  await db.transaction((tx) => emitEvents({ tx, clock }, [emission]));
  const delivery = await db.prisma.webhookDelivery.findFirstOrThrow({
    where: { endpointId, kind: "normal" },
  });
  const now = clock.now();
  await db.prisma.webhookAttempt.create({
    data: {
      deliveryId: delivery.id,
      number: 1,
      outcome: "blocked",
      sentence: "The address is not allowed.",
      startedAt: now,
      endedAt: now,
      reusedConnection: false,
      requestHeaders: [],
      secretId: secret.id,
      totalMs: 0,
    },
  });
  await provoke("webhookDeliveries.debugSignature", "conflict", { deliveryId: delivery.id, attempt: 1 });
}
