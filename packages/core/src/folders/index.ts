import { Prisma, type Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type CreateFolder,
  type Folder,
  type FolderId,
  isAtLeast,
  newId,
  type UpdateFolder,
} from "@querybell/domain";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { lockItemsOfFolder } from "../library/lock-items.ts";
import { folderNotFound, lockFolder } from "./folder-rows.ts";

/**
 * The folders that the caller sees, by name: at most 1,000. One inside a folder that they do not see is listed as if it
 * were at the top.
 */
export async function listFolders({ db }: Deps, { organizationId, userId }: Caller): Promise<Folder[]> {
  const { rows } = await db.pool.query<FolderRow & Shown>({
    name: "list_folders",
    text: `
      SELECT f.id, f.name, (SELECT p.id FROM folders p WHERE p.id = f.parent_id) AS "parentId", f.created_by AS "createdBy", f.created_at AS "createdAt",
        f.updated_at AS "updatedAt",
        EXISTS (SELECT FROM favourites WHERE user_id = $2 AND folder_id = f.id) AS "isFavourite",
        may_edit_folder(f.id) AS "mayEdit"
      FROM folders f WHERE f.organization_id = $1 ORDER BY lower(f.name), f.id`,
    values: [organizationId, userId],
  });
  return rows.map(({ isFavourite, mayEdit, ...row }) => toFolder(row, { isFavourite, mayEdit }));
}

export async function createFolder(
  { db, clock, rights }: Deps,
  caller: Caller,
  { name, parentId }: CreateFolder,
): Promise<Folder> {
  const { organizationId, userId } = caller;
  const now = clock.now();
  const folder = await db.transaction(async (tx) => {
    await lockTree(tx, caller);
    if (parentId !== null) await lockFolder(tx, caller, parentId, "KEY SHARE");
    await refuseSameName(tx, caller, { name, parentId });
    const { newAccess } = await tx.organization.findUniqueOrThrow({ where: { id: organizationId } });
    const hasOwnRights = parentId === null && newAccess === "nobody";
    const row = await tx.folder.create({
      data: {
        id: newId(clock),
        organizationId,
        parentId,
        name,
        hasOwnRights,
        createdBy: userId,
        createdAt: now,
        updatedAt: now,
      },
    });
    if (hasOwnRights) await grantToCreator({ tx, clock }, caller, row.id);
    const detail = { name, parentId };
    await recordAudit({ tx, clock }, caller, { action: "folder.created", targetId: row.id, detail });
    return toFolder(row, { isFavourite: false, mayEdit: true });
  });
  rights.forget(caller);
  return folder;
}

/** For whoever makes a folder that is for nobody else. Admins see it anyway. */
async function grantToCreator(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  { organizationId, userId, role }: Caller,
  folderId: string,
): Promise<void> {
  if (isAtLeast(role, "admin")) return;
  await tx.accessGrant.create({
    data: { id: newId(clock), organizationId, folderId, userId, level: "edit" },
  });
}

/** Renames a folder, or moves it with all that is in it. A trigger refuses cycles and trees that are too deep. */
export async function updateFolder(
  { db, clock, rights }: Deps,
  caller: Caller,
  { id, ...input }: UpdateFolder,
): Promise<Folder> {
  const folder = await db.transaction(async (tx) => {
    await lockTree(tx, caller);
    const { organizationId, userId } = caller;
    const before = await tx.folder.findFirst({ where: { id, organizationId } });
    if (!before) throw folderNotFound();
    const { name = before.name, parentId = before.parentId } = input;
    if (parentId !== null && parentId !== id) await lockFolder(tx, caller, parentId, "KEY SHARE");
    await refuseSameName(tx, caller, { id, name, parentId });
    const row = await tx.folder.update({ where: { id }, data: { name, parentId, updatedAt: clock.now() } });
    const detail = { name, parentId, previousName: before.name, previousParentId: before.parentId };
    await recordAudit({ tx, clock }, caller, { action: "folder.changed", targetId: id, detail });
    const isFavourite = (await tx.favourite.count({ where: { userId, folderId: id } })) > 0;
    return toFolder(row, { isFavourite, mayEdit: true });
  });
  rights.forget(caller);
  return folder;
}

/**
 * Deletes a folder. What is in it moves up to its parent, deleted and archived items too, and also what the caller does not
 * see: hence the tables themselves. Their triggers refuse it if something may not be moved.
 */
export async function deleteFolder(
  { db, clock, rights }: Deps,
  caller: Caller,
  { id }: FolderId,
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockTree(tx, caller);
    // Nothing can be moved into it from now on.
    const { name, parentId } = await lockFolder(tx, caller, id, "UPDATE");
    // A folder in it may have its name.
    await tx.folder.update({ where: { id }, data: { name: id } });
    const children = await tx.$queryRaw<{ id: string; name: string }[]>`
      SELECT id, name FROM public.folders WHERE parent_id = ${id}::uuid`;
    for (const child of children) {
      await refuseSameName(tx, caller, { id: child.id, name: child.name, parentId });
    }
    await tx.$executeRaw`
      UPDATE public.folders SET parent_id = ${parentId}::uuid, updated_at = ${clock.now()}
      WHERE parent_id = ${id}::uuid`;
    await lockItemsOfFolder(tx, id);
    for (const table of ["queries", "query_references", "automations", "dashboards"]) {
      await tx.$executeRaw`
        UPDATE public.${Prisma.raw(table)} SET folder_id = ${parentId}::uuid WHERE folder_id = ${id}::uuid`;
    }
    await tx.folder.delete({ where: { id } });
    const detail = { name, movedTo: parentId };
    await recordAudit({ tx, clock }, caller, { action: "folder.deleted", targetId: id, detail });
  });
  rights.forget(caller);
}

/**
 * Changes of one organization's folders take turns. The trigger takes the same lock, but only after the row is locked, so
 * changes of several rows could deadlock.
 */
async function lockTree(tx: Tx, { organizationId }: Caller): Promise<void> {
  await tx.$queryRaw`
    SELECT pg_advisory_xact_lock(hashtextextended('folders:' || ${organizationId}::text, 0))::text`;
}

interface Named {
  name: string;
  parentId: string | null;
  /** The folder itself, which may keep its name. */
  id?: string;
}

/** Throws if another folder in the same place has the name. */
async function refuseSameName(
  tx: Tx,
  { organizationId }: Caller,
  { name, parentId, id }: Named,
): Promise<void> {
  const sibling = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM public.folders
    WHERE organization_id = ${organizationId}::uuid AND parent_id IS NOT DISTINCT FROM ${parentId}::uuid
      AND lower(name) = lower(${name}) AND id IS DISTINCT FROM ${id ?? null}::uuid`;
  if (sibling.length === 0) return;
  const message = `There is a folder “${name}” in that place. Choose another name.`;
  throw new AppError("conflict", message, { errors: [{ path: "name", message }] });
}

type FolderRow = Omit<Prisma.FolderModel, "organizationId" | "hasOwnRights">;
type Shown = Pick<Folder, "isFavourite" | "mayEdit">;

const toFolder = (row: FolderRow, { isFavourite, mayEdit }: Shown): Folder => ({
  id: row.id,
  name: row.name,
  parentId: row.parentId,
  isFavourite,
  mayEdit,
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});
