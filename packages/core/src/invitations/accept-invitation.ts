import type { Tx } from "@querybell/db";
import { type AcceptInvitation, AppError, type Membership, type Person } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { createUser } from "../identity/create-user.ts";
import { takeOverAccount } from "../identity/take-over-account.ts";
import { addMember } from "../members/add-member.ts";
import { invitationEnded, isMailedToken, whereOpenWithToken } from "./get-open-invitation.ts";

/** Adds the person to the organization, with a new account or with an existing one. */
export async function acceptInvitation(
  deps: Deps,
  person: Person | undefined,
  { token, account }: AcceptInvitation,
): Promise<Membership> {
  return deps.db.transaction(async (tx) => {
    // The update locks the invitation, so of two concurrent uses of one link the second fails.
    const [invitation] = await tx.invitation.updateManyAndReturn({
      where: whereOpenWithToken(token, deps.clock.now()),
      data: { acceptedAt: deps.clock.now() },
      include: { organization: true },
    });
    if (!invitation) throw invitationEnded();
    const { email, role, organizationId, organization } = invitation;
    const ownsAddress = isMailedToken(invitation, token);
    const userId = await resolveJoiningAccount({ ...deps, tx }, person, { email, ownsAddress, account });
    await refuseMember(tx, { organizationId, userId });
    await addMember({ ...deps, tx }, { organizationId, userId }, role);
    return { organizationId, name: organization.name, slug: organization.slug, role };
  });
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

async function resolveJoiningAccount(
  deps: { tx: Tx } & Pick<Deps, "clock" | "auth">,
  person: Person | undefined,
  { email, ownsAddress, account }: Accepting,
): Promise<string> {
  const { tx } = deps;
  const user = await tx.user.findUnique({ where: { email } });
  if (!user && account) return createUser(deps, { ...account, email, emailVerified: ownsAddress });
  if (!user && !person) throw accountNeeded();
  if (user && user.id === person?.userId) {
    if (ownsAddress) await tx.user.update({ where: { id: user.id }, data: { emailVerified: true } });
    return user.id;
  }
  // An account with an unverified address does not block the owner of the address: the mailed link takes the account
  // over. A person who is signed in with another address joins with that account.
  if (user && !user.emailVerified && ownsAddress && account) {
    await takeOverAccount(deps, { ...account, userId: user.id });
    return user.id;
  }
  if (person && !user?.emailVerified) return person.userId;
  throw new AppError("unauthorized", `Sign in as ${email} first, then open the invitation again.`);
}

const accountNeeded = () =>
  new AppError("invalid_request", "Choose a name and a password for your new account.", {
    errors: [{ path: "account", message: "is needed, since this address has no account yet" }],
  });
