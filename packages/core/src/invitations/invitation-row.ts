import type { Prisma } from "@querybell/db";
import type { Invitation } from "@querybell/domain";

/** An invitation for admins: everything but its token. */
export const toInvitation = (row: Prisma.InvitationModel): Invitation => ({
  id: row.id,
  email: row.email,
  role: row.role,
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
});
