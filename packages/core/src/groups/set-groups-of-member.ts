import type { Tx } from "@querybell/db";
import type { GroupSource } from "@querybell/domain";
import type { Actor } from "../audit.ts";
import { insertGroup, isNameTaken, lockGroups, type TxDeps, writeGroupMembers } from "./group-rows.ts";

interface MemberAtProvider {
  organizationId: string;
  userId: string;
  source: Exclude<GroupSource, "manual">;
}

/** A group as the identity provider names it. */
export interface ProvidedGroup {
  externalId: string;
  name: string;
}

/**
 * Makes a member's groups of this source those that the identity provider names, in the transaction of the sign-in or the
 * change. Groups that do not exist yet are made. Groups of other sources stay as they are.
 */
export async function setGroupsOfMember(
  { tx, clock }: TxDeps,
  { organizationId, userId, source }: MemberAtProvider,
  groups: readonly ProvidedGroup[],
): Promise<void> {
  const actor: Actor = { organizationId, userId };
  await lockGroups(tx, actor);
  const known = await tx.group.findMany({
    where: { organizationId, source },
    include: { members: { where: { userId } } },
  });
  const wanted = new Map(groups.map((group) => [group.externalId, group]));
  for (const { externalId, name } of wanted.values()) {
    const found = known.find((group) => group.externalId === externalId);
    const id =
      found?.id ??
      (
        await insertGroup({ tx, clock }, actor, {
          name: await freeName(tx, actor, { name, source }),
          source,
          externalId,
        })
      ).id;
    if (found && found.members.length > 0) continue;
    await writeGroupMembers({ tx, clock }, actor, { groupId: id, add: [userId], remove: [] });
  }
  for (const { id, externalId, members } of known) {
    if (members.length === 0 || wanted.has(externalId ?? "")) continue;
    await writeGroupMembers({ tx, clock }, actor, { groupId: id, add: [], remove: [userId] });
  }
}

const sourceNames = { oidc: "single sign-on", scim: "SCIM" };

/** The name, cut to 100 characters; with the source, and then a number, where another group has it. */
export async function freeName(
  tx: Tx,
  scope: { organizationId: string },
  { name, source }: { name: string; source: MemberAtProvider["source"] },
): Promise<string> {
  const start = [...name.trim()].slice(0, 70).join("") || "Group";
  for (let attempt = 0; ; attempt++) {
    const ending = [``, ` (${sourceNames[source]})`][attempt] ?? ` (${sourceNames[source]} ${attempt})`;
    if (!(await isNameTaken(tx, scope, { name: `${start}${ending}` }))) return `${start}${ending}`;
  }
}
