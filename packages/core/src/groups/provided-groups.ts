import type { Prisma, Tx } from "@querybell/db";
import type { GroupSource } from "@querybell/domain";
import { recordAudit } from "../audit.ts";
import { insertGroup, isNameTaken, lockGroups, type TxDeps, writeGroupMembers } from "./group-rows.ts";

/** An identity provider of an organization, and the person as whom its changes are recorded. */
interface Provider {
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
  member: Provider,
  groups: readonly ProvidedGroup[],
): Promise<void> {
  const { organizationId, userId, source } = member;
  await lockGroups(tx, member);
  const known = await tx.group.findMany({
    where: { organizationId, source },
    include: { members: { where: { userId } } },
  });
  const wanted = new Map(groups.map((group) => [group.externalId, group]));
  for (const group of wanted.values()) {
    const found = known.find(({ externalId }) => externalId === group.externalId);
    const { id } = found ?? (await insertProvidedGroup({ tx, clock }, member, group));
    if (found && found.members.length > 0) continue;
    await writeGroupMembers({ tx, clock }, member, { groupId: id, add: [userId], remove: [] });
  }
  for (const { id, externalId, members } of known) {
    if (members.length === 0 || wanted.has(externalId ?? "")) continue;
    await writeGroupMembers({ tx, clock }, member, { groupId: id, add: [], remove: [userId] });
  }
}

const insertProvidedGroup = async (
  { tx, clock }: TxDeps,
  provider: Provider,
  { externalId, name }: ProvidedGroup,
): Promise<Prisma.GroupModel> =>
  insertGroup({ tx, clock }, provider, {
    name: await freeName(tx, provider, { name }),
    source: provider.source,
    externalId,
  });

/** Creates the group of an identity provider, or gives it the name that it has there. True if it is new. */
export async function keepProvidedGroup(
  { tx, clock }: TxDeps,
  provider: Provider,
  group: ProvidedGroup,
): Promise<boolean> {
  await lockGroups(tx, provider);
  const found = await findProvidedGroup(tx, provider, group.externalId);
  if (!found) {
    await insertProvidedGroup({ tx, clock }, provider, group);
    return true;
  }
  const { id, name: from } = found;
  const name = await freeName(tx, provider, { name: group.name, id });
  if (name === from) return false;
  await tx.group.update({ where: { id }, data: { name, updatedAt: clock.now() } });
  await recordAudit({ tx, clock }, provider, {
    action: "group.renamed",
    targetId: id,
    detail: { from, to: name },
  });
  return false;
}

/** Deletes the group of an identity provider with the rights that it has. */
export async function deleteProvidedGroup(
  { tx, clock }: TxDeps,
  provider: Provider,
  externalId: string,
): Promise<void> {
  await lockGroups(tx, provider);
  const found = await findProvidedGroup(tx, provider, externalId);
  if (!found) return;
  const { id, name } = found;
  await tx.group.delete({ where: { id } });
  await recordAudit({ tx, clock }, provider, { action: "group.deleted", targetId: id, detail: { name } });
}

const findProvidedGroup = (tx: Tx, { organizationId, source }: Provider, externalId: string) =>
  tx.group.findFirst({ where: { organizationId, source, externalId } });

const sourceNames = { oidc: "single sign-on", scim: "SCIM" };

/** The name, cut to 70 characters; with the source, and then a number, where another group has it. */
async function freeName(
  tx: Tx,
  { organizationId, source }: Provider,
  { name, id }: { name: string; id?: string },
): Promise<string> {
  const start = [...name.trim()].slice(0, 70).join("") || "Group";
  for (let attempt = 0; ; attempt++) {
    const ending = [``, ` (${sourceNames[source]})`][attempt] ?? ` (${sourceNames[source]} ${attempt})`;
    const free = { name: `${start}${ending}`, ...(id !== undefined && { id }) };
    if (!(await isNameTaken(tx, { organizationId }, free))) return free.name;
  }
}
