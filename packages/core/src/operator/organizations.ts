import type {
  CreateInvitation,
  CreateOrganization,
  OrganizationSettings,
  RestCompatibility,
  SharedLink,
} from "@querybell/domain";
import { getOperatorActor } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { insertInvitation } from "../invitations/invitations.ts";
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
      deletion: { select: { dueAt: true } },
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

/** The way in when an organization's provider fails: passwords and passkeys open the organization again. */
export async function makeSingleSignOnOptionalAsOperator(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { slug }: { slug: string },
): Promise<void> {
  await db.transaction(async (tx) => setEnforced({ tx, clock }, await getOperatorActor(tx, slug), false));
}
