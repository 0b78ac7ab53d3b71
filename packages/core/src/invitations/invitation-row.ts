import type { Prisma } from "@querybell/db";
import { Invitation } from "@querybell/domain";

/** An invitation for admins: everything but its token. */
export const toInvitation = (row: Prisma.InvitationModel): Invitation =>
  Invitation.parse({
    ...row,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
  });
