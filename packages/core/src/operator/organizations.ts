import type { Tx } from "@querybell/db";
import {
  AppError,
  type CreateInvitation,
  type CreateOrganization,
  type OrganizationSettings,
  type RestCompatibility,
  type SharedLink,
} from "@querybell/domain";
import { type Actor, recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { auditPerson, removeFactors } from "../identity/factors.ts";
import { insertInvitation } from "../invitations/invitations.ts";
import { insertPasswordResetLink } from "../members/create-password-reset-link.ts";
import { insertOrganization } from "../organizations/organizations.ts";
import { changeSettings, toSunset } from "../organizations/settings.ts";
import { setEnforced } from "../single-sign-on/providers.ts";

/** Lists all organizations of the deployment. */
export function listOrganizationsAsOperator({ db }: Pick<Deps, "db">) {
  return db.prisma.organization.findMany({
    select: {
      slug: true,
      name: true,
      webhooksEnabled: true,
      restCompatibility: true,
      _count: { select: { members: true } },
    },
    orderBy: { createdAt: "asc" },
  });
}

/** Creates an organization and an invitation for its first owner. */
export async function createOrganizationAsOperator(
  deps: Pick<Deps, "db" | "clock" | "sealer" | "deployment">,
  { name, email }: CreateOrganization & Pick<CreateInvitation, "email">,
): Promise<{ slug: string; link: SharedLink }> {
  return deps.db.transaction(async (tx) => {
    const { id, slug } = await insertOrganization({ ...deps, tx }, null, { name });
    const actor = { organizationId: id, userId: null };
    const { link } = await insertInvitation({ ...deps, tx }, actor, { email, role: "owner" });
    return { slug, link };
  });
}

interface OperatorSettings {
  slug: string;
  webhooksEnabled?: boolean;
  /** The operator can also set `live` again. An admin of the organization can only retire. */
  restCompatibility?: RestCompatibility;
  /** With `live`: the date of retirement. Absent: no such date. */
  restSunsetAt?: string | undefined;
}

export async function changeSettingsAsOperator(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { slug, restSunsetAt, ...changes }: OperatorSettings,
): Promise<OrganizationSettings> {
  const sunset = changes.restCompatibility === "live" && {
    restSunsetAt: toSunset(restSunsetAt ?? null, clock),
  };
  return db.transaction(async (tx) =>
    changeSettings({ tx, clock }, await getOperatorActor(tx, slug), { ...changes, ...sunset }),
  );
}

/** The operator as the actor in the organization with this slug. */
async function getOperatorActor(tx: Tx, slug: string): Promise<Actor> {
  const organization = await tx.organization.findUnique({ where: { slug } });
  if (!organization) throw new AppError("not_found", `There is no organization with the short name ${slug}.`);
  return { organizationId: organization.id, userId: null };
}

/**
 * For people whom no admin can help: members of several organizations, the last owner, and owners of an address that
 * somebody else has registered. The operator is trusted to give the link to the right person, so it proves the address.
 */
export async function createPasswordResetLinkAsOperator(
  deps: Pick<Deps, "db" | "clock" | "sealer" | "deployment">,
  { email }: { email: string },
): Promise<SharedLink> {
  return deps.db.transaction(async (tx) => {
    const user = await tx.user.findUnique({
      where: { email: email.toLowerCase() },
      include: { memberships: true },
    });
    if (!user) throw new AppError("not_found", `Nobody has an account with the address ${email}.`);
    for (const { organizationId } of user.memberships) {
      await recordAudit(
        { ...deps, tx },
        { organizationId, userId: null },
        {
          action: "member.password_reset_link_created",
          targetId: user.id,
        },
      );
    }
    return insertPasswordResetLink({ ...deps, tx }, { userId: user.id, provesAddress: true });
  });
}

/** The way in when an organization's provider fails: passwords and passkeys open the organization again. */
export async function makeSingleSignOnOptionalAsOperator(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { slug }: { slug: string },
): Promise<void> {
  await db.transaction(async (tx) => setEnforced({ tx, clock }, await getOperatorActor(tx, slug), false));
}

/** Removes all second factors of a person at once. The operator is trusted to know that it is the right person. */
export async function removeFactorsAsOperator(
  deps: Pick<Deps, "db" | "clock" | "sealer" | "deployment">,
  { email }: { email: string },
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const user = await tx.user.findUnique({ where: { email: email.toLowerCase() } });
    if (!user) throw new AppError("not_found", `Nobody has an account with the address ${email}.`);
    await removeFactors(tx, user.id);
    await auditPerson(
      { ...deps, tx },
      { userId: user.id, actorUserId: null },
      { action: "member.second_factor_reset" },
    );
  });
}
