import type { Prisma, Tx } from "@querybell/db";
import { newId, type ScimGroupContent, type ScimListQuery, type ScimPatch } from "@querybell/domain";
import { z } from "zod";
import type { Deps } from "../deps.ts";
import { deleteProvidedGroup, keepProvidedGroup } from "../groups/index.ts";
import { type GroupChange, readGroupChange } from "./patch.ts";
import { notFound, readFilter, ScimError, type ScimList, toPage, whereId } from "./protocol.ts";
import type { Provisioner } from "./tokens.ts";
import { applyGroups } from "./users.ts";

export interface ScimGroup {
  id: string;
  displayName: string;
  externalId: string | null;
  /** Absent if they were not asked for. */
  members?: { value: string; display: string }[];
  createdAt: Date;
  updatedAt: Date;
}

const withMembers = {
  members: { include: { user: { select: { userName: true } } }, orderBy: { scimUserId: "asc" } },
} as const;

export async function listScimGroups(
  { db }: Deps,
  { organizationId }: Provisioner,
  query: ScimListQuery,
): Promise<ScimList<ScimGroup>> {
  const filter = readFilter(query.filter, ["displayName", "externalId", "id"] as const);
  const where = { organizationId, ...(filter && whereFilter(filter)) };
  const hidesMembers = /\bmembers\b/i.test(query.excludedAttributes ?? "");
  const page = { where, orderBy: { id: "asc" }, ...toPage(query) } as const;
  const [total, resources] = await Promise.all([
    db.prisma.scimGroup.count({ where }),
    hidesMembers
      ? db.prisma.scimGroup.findMany(page).then((rows) => rows.map((row) => toScimGroup(row)))
      : db.prisma.scimGroup
          .findMany({ ...page, include: withMembers })
          .then((rows) => rows.map((row) => toScimGroup(row, row.members))),
  ]);
  return { total, startIndex: Math.max(1, query.startIndex), resources };
}

function whereFilter({ attribute, value }: { attribute: string; value: string }): Prisma.ScimGroupWhereInput {
  if (attribute === "id") return whereId(value);
  return attribute === "externalId"
    ? { externalId: value }
    : { displayName: { equals: value, mode: "insensitive" } };
}

type MemberRow = { scimUserId: string; user: { userName: string } };

const toScimGroup = (row: Prisma.ScimGroupModel, members?: MemberRow[]): ScimGroup => ({
  id: row.id,
  displayName: row.displayName,
  externalId: row.externalId,
  ...(members && {
    members: members.map(({ scimUserId, user }) => ({ value: scimUserId, display: user.userName })),
  }),
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

export async function getScimGroup(
  { db }: Deps,
  { organizationId }: Provisioner,
  id: string,
): Promise<ScimGroup> {
  const row = await db.prisma.scimGroup.findFirst({
    where: { ...whereId(id), organizationId },
    include: withMembers,
  });
  if (!row) throw notFound();
  return toScimGroup(row, row.members);
}

export async function createScimGroup(
  deps: Deps,
  provisioner: Provisioner,
  { displayName, externalId, members }: ScimGroupContent,
): Promise<ScimGroup> {
  const { organizationId } = provisioner;
  const id = newId(deps.clock);
  await deps.db.transaction(async (tx) => {
    await lockGroups(tx, organizationId);
    const now = deps.clock.now();
    if (
      await tx.scimGroup.findFirst({
        where: { organizationId, displayName: { equals: displayName, mode: "insensitive" } },
      })
    ) {
      throw new ScimError(409, "There is a group with this displayName already.", "uniqueness");
    }
    await tx.scimGroup.create({
      data: {
        id,
        organizationId,
        displayName,
        externalId: externalId ?? null,
        createdAt: now,
        updatedAt: now,
      },
    });
    await write({ ...deps, tx }, provisioner, id, {
      content: {},
      add: members?.map(({ value }) => value) ?? [],
      remove: [],
    });
  });
  return getScimGroup(deps, provisioner, id);
}

/** One change of an organization's groups at a time: two would read and write each other's members. */
const lockGroups = (tx: Tx, organizationId: string) =>
  tx.$queryRaw`SELECT pg_advisory_xact_lock(hashtextextended('scim groups:' || ${organizationId}::text, 0))::text`;

export const replaceScimGroup = (
  deps: Deps,
  provisioner: Provisioner,
  id: string,
  { members, ...content }: ScimGroupContent,
): Promise<ScimGroup> =>
  changeGroup(deps, provisioner, id, {
    content,
    replaceWith: members?.map(({ value }) => value) ?? [],
    add: [],
    remove: [],
  });

export const patchScimGroup = (deps: Deps, provisioner: Provisioner, id: string, patch: ScimPatch) =>
  changeGroup(deps, provisioner, id, readGroupChange(patch));

async function changeGroup(
  deps: Deps,
  provisioner: Provisioner,
  id: string,
  change: GroupChange,
): Promise<ScimGroup> {
  await deps.db.transaction(async (tx) => {
    await lockGroups(tx, provisioner.organizationId);
    await requireGroup(tx, provisioner, id);
    await write({ ...deps, tx }, provisioner, id, change);
  });
  return getScimGroup(deps, provisioner, id);
}

export async function deleteScimGroup(deps: Deps, provisioner: Provisioner, id: string): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await lockGroups(tx, provisioner.organizationId);
    await requireGroup(tx, provisioner, id);
    await tx.scimGroup.delete({ where: { id } });
    await deleteProvidedGroup({ ...deps, tx }, { ...provisioner, source: "scim" }, id);
  });
}

async function requireGroup(tx: Tx, { organizationId }: Provisioner, id: string): Promise<void> {
  if (!(await tx.scimGroup.findFirst({ where: { ...whereId(id), organizationId } }))) throw notFound();
}

/** Writes the change, and brings the group of the organization and its members in line. */
async function write(
  deps: { tx: Tx } & Pick<Deps, "clock">,
  provisioner: Provisioner,
  groupId: string,
  { content, replaceWith, add, remove }: GroupChange,
): Promise<void> {
  const { tx, clock } = deps;
  const { organizationId } = provisioner;
  const before = await tx.scimGroupMember.findMany({ where: { groupId } });
  const had = new Set(before.map(({ scimUserId }) => scimUserId));
  const wanted = new Set(replaceWith ?? had);
  for (const id of add) wanted.add(id);
  for (const id of remove) wanted.delete(id);
  const left = [...had].filter((id) => !wanted.has(id));
  const joined = [...wanted].filter((id) => !had.has(id));
  await requireUsers(tx, provisioner, joined);
  await tx.scimGroupMember.deleteMany({ where: { groupId, scimUserId: { in: left } } });
  await tx.scimGroupMember.createMany({
    data: joined.map((scimUserId) => ({ groupId, scimUserId, organizationId })),
  });
  const { displayName, externalId } = content;
  const { displayName: name } = await tx.scimGroup.update({
    where: { id: groupId },
    data: {
      ...(displayName !== undefined && { displayName }),
      ...(externalId !== undefined && { externalId }),
      updatedAt: clock.now(),
    },
  });
  const isNew = await keepProvidedGroup(
    deps,
    { ...provisioner, source: "scim" },
    { externalId: groupId, name },
  );
  const concerned = isNew ? [...left, ...wanted] : [...left, ...joined];
  const changed = await tx.scimUser.findMany({ where: { organizationId, id: { in: concerned } } });
  for (const user of changed) await applyGroups(deps, provisioner, user);
}

/** Refuses ids of another organization, and unknown ones: the provider would take them for members. */
async function requireUsers(tx: Tx, { organizationId }: Provisioner, ids: string[]): Promise<void> {
  const uuids = ids.filter((id) => z.uuid().safeParse(id).success);
  // Locked, so that none is deleted before this commits.
  const users = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM scim_users WHERE organization_id = ${organizationId}::uuid AND id = ANY(${uuids}::uuid[]) FOR KEY SHARE`;
  const known = new Set(users.map(({ id }) => id));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown === undefined) return;
  throw new ScimError(400, `members: there is no user with the id ${unknown}.`, "invalidValue");
}
