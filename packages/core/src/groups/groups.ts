import type { Prisma, Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type ChangeGroupMembers,
  type CreateGroup,
  type Group,
  type GroupId,
  type GroupWithMembers,
  type RenameGroup,
} from "@querybell/domain";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { insertGroup, isNameTaken, lockGroups, writeGroupMembers } from "./group-rows.ts";

/** Every group of the organization, by name. */
export async function listGroups({ db }: Deps, { organizationId }: Caller): Promise<Group[]> {
  const rows = await db.prisma.group.findMany({
    where: { organizationId },
    include: { _count: { select: { members: true } } },
  });
  return rows
    .map((row) => toGroup(row, row._count.members))
    .sort((a, b) => a.name.localeCompare(b.name) || a.id.localeCompare(b.id));
}

export async function getGroup(
  { db }: Deps,
  { organizationId }: Caller,
  { groupId: id }: GroupId,
): Promise<GroupWithMembers> {
  const row = await db.prisma.group.findFirst({
    where: { id, organizationId },
    include: { members: { orderBy: { userId: "asc" } } },
  });
  if (!row) throw groupNotFound();
  return {
    ...toGroup(row, row.members.length),
    memberIds: row.members.map(({ userId }) => userId),
  };
}

export async function createGroup(
  { db, clock }: Deps,
  caller: Caller,
  { name }: CreateGroup,
): Promise<Group> {
  return db.transaction(async (tx) => {
    await lockGroups(tx, caller);
    await refuseTakenName(tx, caller, { name });
    return toGroup(await insertGroup({ tx, clock }, caller, { name, source: "manual", externalId: null }), 0);
  });
}

export async function renameGroup(
  { db, clock }: Deps,
  caller: Caller,
  { groupId: id, name }: RenameGroup,
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockGroups(tx, caller);
    const before = await getManualGroup(tx, caller, id);
    if (before.name === name) return;
    await refuseTakenName(tx, caller, { name, id });
    await tx.group.update({ where: { id }, data: { name, updatedAt: clock.now() } });
    await recordAudit({ tx, clock }, caller, {
      action: "group.renamed",
      targetId: id,
      detail: { from: before.name, to: name },
    });
  });
}

/** Deletes a group with the rights that it has. One that an identity provider still names comes back without them. */
export async function deleteGroup(
  { db, clock, rights }: Deps,
  caller: Caller,
  { groupId: id }: GroupId,
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockGroups(tx, caller);
    const { name } = await getRow(tx, caller, id);
    await tx.group.delete({ where: { id } });
    await recordAudit({ tx, clock }, caller, { action: "group.deleted", targetId: id, detail: { name } });
  });
  rights.forget(caller);
}

export async function changeGroupMembers(
  { db, clock, rights }: Deps,
  caller: Caller,
  input: ChangeGroupMembers,
): Promise<void> {
  const { organizationId } = caller;
  await db.transaction(async (tx) => {
    await lockGroups(tx, caller);
    await getManualGroup(tx, caller, input.groupId);
    const added = [...new Set(input.add)];
    const known = await tx.member.count({ where: { organizationId, userId: { in: added } } });
    if (known < added.length) {
      throw new AppError("not_found", "There is no such member in this organization.");
    }
    await writeGroupMembers({ tx, clock }, caller, input);
  });
  rights.forget(caller);
}

const groupNotFound = () =>
  new AppError("not_found", "There is no such group in this organization. It may have been deleted.");

async function getRow(tx: Tx, { organizationId }: Caller, id: string): Promise<Prisma.GroupModel> {
  const row = await tx.group.findFirst({ where: { id, organizationId } });
  if (!row) throw groupNotFound();
  return row;
}

async function getManualGroup(tx: Tx, caller: Caller, id: string): Promise<Prisma.GroupModel> {
  const row = await getRow(tx, caller, id);
  if (row.source !== "manual") {
    throw new AppError(
      "conflict",
      "Your identity provider keeps this group. Change its name and its members there.",
    );
  }
  return row;
}

async function refuseTakenName(tx: Tx, caller: Caller, named: { name: string; id?: string }): Promise<void> {
  if (!(await isNameTaken(tx, caller, named))) return;
  const message = `There is a group “${named.name}”. Choose another name.`;
  throw new AppError("conflict", message, { errors: [{ path: "name", message }] });
}

const toGroup = (row: Prisma.GroupModel, memberCount: number): Group => ({
  id: row.id,
  name: row.name,
  source: row.source,
  memberCount,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});
