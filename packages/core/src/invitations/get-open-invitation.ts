import type { Prisma } from "@querybell/db";
import { AppError, type InvitationToken, type OpenInvitation } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { hashToken } from "../identity/secret-token.ts";

/** Which invitations a link opens. A token that is wrong and one that has ended look alike from outside. */
export const whereOpenWithToken = (token: string, now: Date) =>
  ({
    OR: [{ tokenHash: hashToken(token) }, { mailTokenHash: hashToken(token) }],
    acceptedAt: null,
    revokedAt: null,
    expiresAt: { gt: now },
  }) satisfies Prisma.InvitationWhereInput;

/** Whether this is the token that was mailed: only whoever reads the address's mail can have it. */
export const isMailedToken = (
  { mailTokenHash }: Pick<Prisma.InvitationModel, "mailTokenHash">,
  token: string,
): boolean => mailTokenHash !== null && Buffer.from(mailTokenHash).equals(hashToken(token));

export const invitationEnded = () =>
  new AppError("not_found", "This invitation has ended or was replaced. Ask for a new link.");

export async function getOpenInvitation(
  { db, clock }: Deps,
  { token }: InvitationToken,
): Promise<OpenInvitation> {
  const invitation = await db.prisma.invitation.findFirst({
    where: whereOpenWithToken(token, clock.now()),
    include: { organization: true },
  });
  if (!invitation) throw invitationEnded();
  const { email, role, organization, expiresAt } = invitation;
  // Otherwise any admin could ask of any address whether it has an account here.
  const account = isMailedToken(invitation, token) ? await accountOf(db.prisma, email) : "unknown";
  return { organizationName: organization.name, email, role, expiresAt: expiresAt.toISOString(), account };
}

async function accountOf(
  prisma: Deps["db"]["prisma"],
  email: string,
): Promise<"none" | "verified" | "unverified"> {
  const user = await prisma.user.findUnique({ where: { email } });
  if (!user) return "none";
  return user.emailVerified ? "verified" : "unverified";
}
