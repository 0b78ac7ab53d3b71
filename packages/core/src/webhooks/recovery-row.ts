import type { Prisma } from "@querybell/db";
import type { WebhookRecovery } from "@querybell/domain";
import type { Deps } from "../deps.ts";

/** Recoveries with their progress: how many of the deliveries that they queued are in each state. */
export async function toRecoveries(
  { db }: Pick<Deps, "db">,
  rows: Prisma.WebhookRecoveryModel[],
): Promise<WebhookRecovery[]> {
  const counts = await db.prisma.webhookDelivery.groupBy({
    by: ["recoveryId", "state"],
    where: { recoveryId: { in: rows.map(({ id }) => id) } },
    _count: true,
  });
  const count = (id: string, state: string) =>
    counts.find((row) => row.recoveryId === id && row.state === state)?._count ?? 0;
  return rows.map((row) => ({
    id: row.id,
    endpointId: row.endpointId,
    action: row.action,
    since: row.since.toISOString(),
    perSecond: row.perSecond,
    state: row.state,
    total: row.total,
    queued: row.queued,
    pending: count(row.id, "pending"),
    held: count(row.id, "held"),
    succeeded: count(row.id, "succeeded"),
    exhausted: count(row.id, "exhausted"),
    cancelled: count(row.id, "cancelled"),
    dropped: count(row.id, "dropped"),
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
  }));
}
