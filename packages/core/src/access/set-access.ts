import type { Prisma, Tx } from "@querybell/db";
import {
  type AccessGrant,
  AppError,
  type AuditAction,
  type Caller,
  type DatabaseAccess,
  DatabaseGrants,
  type DatabaseOfAccess,
  type FolderAccess,
  FolderGrants,
  type FolderOfAccess,
  type Grantee,
  newId,
  type SetDatabaseAccess,
  type SetFolderAccess,
} from "@querybell/domain";
import { recordAudit } from "../audit.ts";
import { getDatabaseRow } from "../databases/get-database.ts";
import type { Deps } from "../deps.ts";
import { folderNotFound } from "../folders/folder-rows.ts";
import { lockRow } from "../lock-row.ts";

export async function getFolderAccess(
  { db: { prisma } }: Deps,
  { organizationId }: Caller,
  { folderId }: FolderOfAccess,
): Promise<FolderAccess> {
  if (!(await folderHasOwnRights(prisma, { organizationId, folderId }))) return { grants: null };
  const rows = await prisma.accessGrant.findMany({
    where: { organizationId, folderId, databaseId: null },
    orderBy: { id: "asc" },
  });
  return { grants: FolderGrants.parse(rows.map(toGrant)) };
}

/** Replaces the rights of a folder. They apply at once in this process, and in every other within five seconds. */
export async function setFolderAccess(
  { db, clock, rights }: Deps,
  caller: Caller,
  { folderId, grants }: SetFolderAccess,
): Promise<void> {
  const { organizationId } = caller;
  await db.transaction(async (tx) => {
    const hasOwnRights = grants !== null;
    if (folderId === null) {
      await lockRow(tx, { table: "organizations", key: { id: organizationId }, strength: "NO KEY UPDATE" });
      const data = { rootHasOwnRights: hasOwnRights };
      await tx.organization.update({ where: { id: organizationId }, data });
    } else {
      await lockRow(tx, { table: "folders", key: { id: folderId }, organizationId });
      await folderHasOwnRights(tx, { organizationId, folderId });
      await tx.folder.update({ where: { id: folderId }, data: { hasOwnRights } });
    }
    await replaceGrants({ tx, clock }, caller, {
      on: { folderId, databaseId: null },
      grants,
      action: "folder_access.changed",
      targetId: folderId ?? organizationId,
    });
  });
  rights.forget(caller);
}

async function folderHasOwnRights(
  tx: Pick<Tx, "organization" | "folder">,
  { organizationId, folderId }: { organizationId: string; folderId: string | null },
): Promise<boolean> {
  if (folderId === null) {
    const row = await tx.organization.findUniqueOrThrow({ where: { id: organizationId } });
    return row.rootHasOwnRights;
  }
  const row = await tx.folder.findFirst({ where: { id: folderId, organizationId } });
  if (!row) throw folderNotFound();
  return row.hasOwnRights;
}

export async function getDatabaseAccess(
  { db: { prisma } }: Deps,
  caller: Caller,
  { databaseId }: DatabaseOfAccess,
): Promise<DatabaseAccess> {
  const { hasOwnRights } = await getDatabaseRow(prisma, caller, databaseId);
  if (!hasOwnRights) return { grants: null };
  const { organizationId } = caller;
  const rows = await prisma.accessGrant.findMany({
    where: { organizationId, databaseId },
    orderBy: { id: "asc" },
  });
  return { grants: DatabaseGrants.parse(rows.map(toGrant)) };
}

/** Replaces the rights on a database. */
export async function setDatabaseAccess(
  { db, clock, rights }: Deps,
  caller: Caller,
  { databaseId, grants }: SetDatabaseAccess,
): Promise<void> {
  const { organizationId } = caller;
  await db.transaction(async (tx) => {
    await lockRow(tx, {
      table: "analytical_database_configs",
      key: { id: databaseId },
      organizationId,
      strength: "NO KEY UPDATE",
    });
    await getDatabaseRow(tx, caller, databaseId);
    const data = { hasOwnRights: grants !== null };
    await tx.analyticalDatabaseConfig.update({ where: { id: databaseId }, data });
    await replaceGrants({ tx, clock }, caller, {
      on: { folderId: null, databaseId },
      grants,
      action: "database_access.changed",
      targetId: databaseId,
    });
  });
  rights.forget(caller);
}

interface Replacement {
  on: { folderId: string | null; databaseId: string | null };
  grants: readonly AccessGrant[] | null;
  action: AuditAction;
  targetId: string;
}

async function replaceGrants(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  caller: Caller,
  { on, grants, action, targetId }: Replacement,
): Promise<void> {
  const { organizationId } = caller;
  await tx.accessGrant.deleteMany({ where: { organizationId, ...on } });
  const data = (grants ?? []).map(({ grantee, level }) => ({
    id: newId(clock),
    organizationId,
    ...on,
    ...toColumns(grantee),
    level,
  }));
  refuseTwice(data);
  await requireGrantees(tx, caller, data);
  await tx.accessGrant.createMany({ data });
  await recordAudit({ tx, clock }, caller, {
    action,
    targetId,
    detail: {
      grants: grants && data.map(({ groupId, userId, level }) => `${describe(groupId, userId)}: ${level}`),
    },
  });
}

interface GranteeColumns {
  groupId: string | null;
  userId: string | null;
}

const toColumns = (grantee: Grantee): GranteeColumns => ({
  groupId: grantee.kind === "group" ? grantee.groupId : null,
  userId: grantee.kind === "person" ? grantee.userId : null,
});

const describe = (groupId: string | null, userId: string | null): string =>
  groupId !== null ? `group ${groupId}` : userId !== null ? `person ${userId}` : "everybody";

function refuseTwice(grants: readonly GranteeColumns[]): void {
  const names = grants.map(({ groupId, userId }) => describe(groupId, userId));
  if (new Set(names).size === names.length) return;
  throw new AppError("invalid_request", "Somebody is named twice. Give each of them one right.");
}

/** Throws if a group or person is not of the organization. */
async function requireGrantees(
  tx: Tx,
  { organizationId }: Caller,
  grants: readonly GranteeColumns[],
): Promise<void> {
  const groups = grants.flatMap(({ groupId }) => groupId ?? []);
  const people = grants.flatMap(({ userId }) => userId ?? []);
  const [foundGroups, foundPeople] = [
    await tx.group.count({ where: { organizationId, id: { in: groups } } }),
    await tx.member.count({ where: { organizationId, userId: { in: people } } }),
  ];
  if (foundGroups === groups.length && foundPeople === people.length) return;
  throw new AppError("not_found", "There is no such group or member in this organization.");
}

const toGrant = ({ groupId, userId, level }: Prisma.AccessGrantModel): AccessGrant => ({
  grantee:
    groupId !== null
      ? { kind: "group", groupId }
      : userId !== null
        ? { kind: "person", userId }
        : { kind: "everybody" },
  level,
});
