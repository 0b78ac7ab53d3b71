import type { Tx } from "@querybell/db";
import { type AcceptInvitation, AppError, type Membership, type Person } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { createUser } from "../identity/create-user.ts";
import { addMember } from "../members/add-member.ts";
import { invitationEnded, openWith } from "./find-open-invitation.ts";

/** Joins the organization: with a new account, or as the signed-in person to whom the invitation is addressed. */
export async function acceptInvitation(
  deps: Deps,
  person: Person | undefined,
  { token, account }: AcceptInvitation,
): Promise<Membership> {
  return deps.db.transaction(async (tx) => {
    // Taking the invitation locks it: of two who open one link at once, the second finds it ended.
    const [invitation] = await tx.invitation.updateManyAndReturn({
      where: openWith(token, deps.clock.now()),
      data: { acceptedAt: deps.clock.now() },
      include: { organization: true },
    });
    if (!invitation) throw invitationEnded();
    const { email, role, organizationId, organization } = invitation;
    const userId =
      (await findAccount(tx, person, email)) ?? (await createAccount({ ...deps, tx }, email, account));
    await addMember({ ...deps, tx }, { organizationId, userId }, role);
    return { organizationId, name: organization.name, slug: organization.slug, role };
  });
}

async function findAccount(tx: Tx, person: Person | undefined, email: string): Promise<string | undefined> {
  const user = await tx.user.findUnique({ where: { email } });
  if (user && user.id !== person?.userId) {
    throw new AppError("unauthorized", `Sign in as ${email} first, then open the invitation again.`);
  }
  return user?.id;
}

function createAccount(
  deps: { tx: Tx } & Pick<Deps, "clock" | "auth">,
  email: string,
  account: AcceptInvitation["account"],
): Promise<string> {
  if (!account) {
    throw new AppError("invalid_request", "Choose a name and a password for your new account.", {
      errors: [{ path: "account", message: "is needed, since this address has no account yet" }],
    });
  }
  return createUser(deps, { ...account, email });
}
