import type { Me } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { listMemberships } from "../organizations/list-memberships.ts";
import type { SignedIn } from "./resolve-session.ts";

/** The signed-in user, their active organization and all their memberships. */
export async function describePerson(deps: Deps, { person, caller }: SignedIn): Promise<Me> {
  const [user, memberships] = await Promise.all([
    deps.db.prisma.user.findUniqueOrThrow({ where: { id: person.userId } }),
    listMemberships(deps, person),
  ]);
  const { id, name, email } = user;
  return {
    user: { id, name, email },
    organizationId: caller?.organizationId ?? null,
    memberships,
    canCreateOrganization: deps.deployment.organizationCreation === "anybody",
  };
}
