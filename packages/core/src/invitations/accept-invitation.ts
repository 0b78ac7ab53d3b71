import type { Prisma, Tx } from "@querybell/db";
import {
  type AcceptInvitation,
  AppError,
  type InvitationToken,
  type Membership,
  type OpenInvitation,
  type Person,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { createUser, takeOverAccount } from "../identity/accounts.ts";
import { hashToken } from "../identity/secret-token.ts";
import { lockRow } from "../lock-row.ts";
import { addMember } from "../members/members.ts";

/** The condition for open invitations with this token. A wrong token and an ended one give the same error. */
const whereOpenWithToken = (token: string, now: Date) =>
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
const provesAddress = (
  { mailTokenHash, createdBy }: Pick<Prisma.InvitationModel, "mailTokenHash" | "createdBy">,
  token: string,
): boolean =>
  createdBy === null || (mailTokenHash !== null && Buffer.from(mailTokenHash).equals(hashToken(token)));

const invitationEnded = () =>
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

/** Adds the person to the organization, with a new account or with an existing one. */
export async function acceptInvitation(
  deps: Deps,
  person: Person | undefined,
  { token, account }: AcceptInvitation,
): Promise<Membership> {
  if (person?.onlyOrganizationId !== undefined) {
    throw new AppError(
      "forbidden",
      "You are signed in through an organization's provider, which opens only that one. Sign in with your password first.",
    );
  }
  const { userId, ...membership } = await deps.db.transaction(async (tx) => {
    // The update locks the invitation, so of two concurrent uses of one link the second fails.
    const [invitation] = await tx.invitation.updateManyAndReturn({
      where: whereOpenWithToken(token, deps.clock.now()),
      data: { acceptedAt: deps.clock.now() },
      include: { organization: true },
    });
    if (!invitation) throw invitationEnded();
    const { email, role, organizationId, organization } = invitation;
    const ownsAddress = provesAddress(invitation, token);
    const userId = await resolveJoiningAccount({ ...deps, tx }, person, { email, ownsAddress, account });
    await refuseMember(tx, { organizationId, userId });
    await addMember({ ...deps, tx }, { organizationId, userId }, role);
    return { userId, organizationId, name: organization.name, slug: organization.slug, role };
  });
  deps.keyCache.forgetKeysOf({ userId });
  return membership;
}

async function refuseMember(tx: Tx, member: { organizationId: string; userId: string }): Promise<void> {
  if (!(await tx.member.findUnique({ where: { organizationId_userId: member } }))) return;
  throw new AppError(
    "conflict",
    "You are a member of this organization already: there is nothing to accept.",
  );
}

interface Accepting extends Pick<AcceptInvitation, "account"> {
  email: string;
  /** Whether the person has proven to own the address. */
  ownsAddress: boolean;
}

/**
 * Finds or creates the account that joins. An account with an unproven address does not own the address: a
 * link that proves the address takes the account over, whoever is signed in, and only an account with a
 * proven address can join a further organization.
 */
async function resolveJoiningAccount(
  deps: JoinDeps,
  person: Person | undefined,
  { email, ownsAddress, account }: Accepting,
): Promise<string> {
  const { tx } = deps;
  const user = await tx.user.findUnique({ where: { email } });
  if (!user && account) return createUser(deps, { ...account, email, emailVerified: ownsAddress });
  if (!user && !person) throw accountNeeded("is needed, since this address has no account yet");
  if (user && !user.emailVerified && ownsAddress) {
    if (!account) throw accountNeeded("is needed, since nobody has proven to own this address yet");
    await takeOverAccount(deps, { ...account, userId: user.id });
    return user.id;
  }
  // A person who is signed in with another address joins with that account, unless the invited address is proven.
  if (person && (!user?.emailVerified || user.id === person.userId)) return requireProven(deps, person);
  throw new AppError(
    "unauthorized",
    `Sign in as ${email} first, then open the invitation again. ${howToSetPassword(deps)}`,
  );
}

type JoinDeps = { tx: Tx } & Pick<Deps, "clock" | "auth" | "deployment">;

async function requireProven(deps: JoinDeps, { userId, sessionId }: Person): Promise<string> {
  // Waits for a transaction that takes the account over. It ends the session.
  await lockRow(deps.tx, { table: "users", key: { id: userId }, strength: "NO KEY UPDATE" });
  const session = await deps.tx.session.findUnique({ where: { id: sessionId }, include: { user: true } });
  if (!session) throw new AppError("unauthorized", "Your session has ended. Sign in again.");
  if (session.user.emailVerified) return userId;
  throw new AppError(
    "forbidden",
    `Nobody has proven to own the address of your account, ${session.user.email}, so the account cannot join another organization. ${howToSetPassword(deps)}`,
  );
}

const howToSetPassword = ({ deployment }: Pick<Deps, "deployment">): string =>
  deployment.sendsMail
    ? "To prove an address, set a new password with “Forgot password?” on the sign-in page."
    : "To prove an address, ask the operator of this installation for a link to set a new password.";

const accountNeeded = (message: string) =>
  new AppError("invalid_request", "Choose a name and a password for your account.", {
    errors: [{ path: "account", message }],
  });
