import { AppError, type Person, type SwitchOrganization } from "@querybell/domain";
import type { Deps } from "../deps.ts";

/** Changes the active organization of a session. */
export async function switchOrganization(
  { db }: Deps,
  { userId, sessionId }: Person,
  { organizationId }: SwitchOrganization,
): Promise<void> {
  const { count } = await db.prisma.session.updateMany({
    where: { id: sessionId, user: { memberships: { some: { userId, organizationId } } } },
    data: { activeOrganizationId: organizationId },
  });
  if (count === 0) throw new AppError("not_found", "You do not belong to such an organization.");
}
