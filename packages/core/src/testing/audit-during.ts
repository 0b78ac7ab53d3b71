import type { Deps } from "../deps.ts";

/** The audit entries that were added during the action, oldest first. */
export async function auditDuring(
  { db }: Deps,
  organizationId: string,
  work: () => Promise<unknown>,
): Promise<{ actorUserId: string | null; action: string; targetId: string; detail: unknown }[]> {
  const read = () => db.prisma.auditEntry.findMany({ where: { organizationId }, orderBy: { id: "asc" } });
  const before = new Set((await read()).map(({ id }) => id));
  await work();
  return (await read())
    .filter(({ id }) => !before.has(id))
    .map(({ actorUserId, action, targetId, detail }) => ({ actorUserId, action, targetId, detail }));
}
