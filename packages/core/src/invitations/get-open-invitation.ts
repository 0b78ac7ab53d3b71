import type { Prisma } from "@querybell/db";
import { AppError, type InvitationToken, type OpenInvitation } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { hashToken } from "../identity/secret-token.ts";

/** The condition for open invitations with this token. A wrong token and an ended one give the same error. */
export const whereOpenWithToken = (token: string, now: Date) =>
  ({
    OR: [{ tokenHash: hashToken(token) }, { mailTokenHash: hashToken(token) }],
    acceptedAt: null,
    revokedAt: null,
    expiresAt: { gt: now },
  }) satisfies Prisma.InvitationWhereInput;

/**
 * Whether this token proves that the person owns the address: only the mail contains it, or the operator, who is trusted
 * to give it to the right person, has invited them.
 */
export const provesAddress = (
  { mailTokenHash, createdBy }: Pick<Prisma.InvitationModel, "mailTokenHash" | "createdBy">,
  token: string,
): boolean =>
  createdBy === null || (mailTokenHash !== null && Buffer.from(mailTokenHash).equals(hashToken(token)));

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
  // Hidden from other links, or any admin could find out whether an address has an account.
  const account = provesAddress(invitation, token) ? await findAccountState(db.prisma, email) : "unknown";
  return { organizationName: organization.name, email, role, expiresAt: expiresAt.toISOString(), account };
}

async function findAccountState(
  prisma: Deps["db"]["prisma"],
  email: string,
): Promise<"none" | "verified" | "unverified"> {
  const user = await prisma.user.findUnique({ where: { email } });
  if (!user) return "none";
  return user.emailVerified ? "verified" : "unverified";
}
