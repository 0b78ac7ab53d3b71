import type { Caller, Invitation } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { toInvitation } from "./invitation-row.ts";

/** Lists the open invitations, newest first. */
export async function listInvitations(
  { db, clock }: Deps,
  { organizationId }: Caller,
): Promise<Invitation[]> {
  const rows = await db.prisma.invitation.findMany({
    where: { organizationId, acceptedAt: null, revokedAt: null, expiresAt: { gt: clock.now() } },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
  });
  return rows.map(toInvitation);
}
