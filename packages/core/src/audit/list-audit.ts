import { AuditEntry, type Caller, type ListAudit } from "@querybell/domain";
import type { Deps } from "../deps.ts";

export async function listAudit(
  { db }: Deps,
  { organizationId }: Caller,
  { limit, before }: ListAudit,
): Promise<AuditEntry[]> {
  const entries = await db.prisma.auditEntry.findMany({
    where: { organizationId, ...(before && { id: { lt: before } }) },
    orderBy: { id: "desc" },
    take: limit,
  });
  const actorIds = entries.flatMap(({ actorUserId }) => actorUserId ?? []);
  const actors = await db.prisma.user.findMany({ where: { id: { in: actorIds } } });
  const byId = new Map(actors.map(({ id, name, email }) => [id, { userId: id, name, email }]));
  return entries.map((entry) =>
    AuditEntry.parse({
      ...entry,
      at: entry.at.toISOString(),
      actor: entry.actorUserId && (byId.get(entry.actorUserId) ?? null),
    }),
  );
}
