import {
  AppError,
  type Caller,
  type EventSubscription,
  type EventSubscriptionId,
  maxSubscriptionsOfOrganization,
  SubscribableEvent,
  WebhookEndpointState,
} from "@querybell/domain";
import { countUnfinishedDeliveries } from "@querybell/webhooks";
import type { Deps } from "../deps.ts";

/** The subscriptions of the organization's programs that have not ended, newest first. */
export async function listSubscriptions(
  { db: { prisma } }: Pick<Deps, "db">,
  { organizationId }: Caller,
): Promise<EventSubscription[]> {
  const rows = await prisma.webhookEndpoint.findMany({
    where: { organizationId, kind: "mcp", state: { not: "deleted" } },
    include: { key: { select: { name: true } } },
    orderBy: { id: "desc" },
    take: maxSubscriptionsOfOrganization,
  });
  const counts = await countUnfinishedDeliveries(
    prisma,
    rows.map(({ id }) => id),
  );
  const unfinished = new Map(counts.map(({ endpointId, pending, held }) => [endpointId, { pending, held }]));
  return rows.map(({ key, ...row }) => ({
    id: row.id,
    url: row.url,
    event: SubscribableEvent.parse(row.eventTypes[0]),
    automationId: row.automationId,
    keyId: row.keyId,
    keyName: key?.name ?? null,
    state: WebhookEndpointState.parse(row.state),
    ...(unfinished.get(row.id) ?? { pending: 0, held: 0 }),
    createdAt: row.createdAt.toISOString(),
    // A check of the table requires it.
    expiresAt: (row.expiresAt ?? row.createdAt).toISOString(),
  }));
}

/** Ends a subscription of the organization at once, whoever made it. */
export async function endSubscription(
  { db }: Pick<Deps, "db">,
  { organizationId, userId }: Caller,
  { id }: EventSubscriptionId,
): Promise<void> {
  await db.transaction(async (tx) => {
    const [found] = await tx.$queryRaw<{ ended: number }[]>`
      SELECT end_event_subscriptions(ARRAY[id], 'admin', ${userId}::uuid, NULL) AS ended
      FROM webhook_endpoints
      WHERE id = ${id}::uuid AND organization_id = ${organizationId}::uuid AND kind = 'mcp' AND state <> 'deleted'`;
    if (found?.ended !== 1) {
      throw new AppError(
        "not_found",
        "There is no such subscription in this organization. It may have ended already.",
      );
    }
  });
}
