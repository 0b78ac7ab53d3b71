import type { Prisma } from "@querybell/db";
import { AppError, type InvitationToken, type OpenInvitation } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { hashToken } from "../identity/secret-token.ts";

/** Which invitations a link opens. A token that is wrong and one that has ended look alike from outside. */
export const openWith = (token: string, now: Date) =>
  ({
    tokenHash: hashToken(token),
    acceptedAt: null,
    revokedAt: null,
    expiresAt: { gt: now },
  }) satisfies Prisma.InvitationWhereInput;

export const invitationEnded = () =>
  new AppError("not_found", "This invitation has ended or was replaced. Ask for a new link.");

export async function findOpenInvitation(
  { db, clock }: Deps,
  { token }: InvitationToken,
): Promise<OpenInvitation> {
  const invitation = await db.prisma.invitation.findFirst({
    where: openWith(token, clock.now()),
    include: { organization: true },
  });
  if (!invitation) throw invitationEnded();
  const { email, role, organization, expiresAt } = invitation;
  const hasAccount = (await db.prisma.user.count({ where: { email } })) > 0;
  return { organizationName: organization.name, email, role, expiresAt: expiresAt.toISOString(), hasAccount };
}
