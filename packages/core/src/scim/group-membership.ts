import type { Prisma, Tx } from "@querybell/db";
import type { Deps } from "../deps.ts";
import { setGroupsOfMember } from "../groups/index.ts";
import type { Provisioner } from "./tokens.ts";

/** Brings the groups of a member in line with those that the provider has put them into. */
export async function applyGroups(
  deps: { tx: Tx } & Pick<Deps, "clock">,
  { organizationId }: Provisioner,
  { id, userId, active }: Pick<Prisma.ScimUserModel, "id" | "userId" | "active">,
): Promise<void> {
  if (userId === null || !active) return;
  const groups = await deps.tx.scimGroup.findMany({ where: { members: { some: { scimUserId: id } } } });
  await setGroupsOfMember(
    deps,
    { organizationId, userId, source: "scim" },
    groups.map((group) => ({ externalId: group.id, name: group.displayName })),
  );
}
