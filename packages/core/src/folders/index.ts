import type { Prisma, Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type CreateFolder,
  type Folder,
  type FolderId,
  newId,
  type UpdateFolder,
} from "@querybell/domain";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { lockItemsOfFolder } from "../library/lock-items.ts";
import { folderNotFound, lockFolder } from "./folder-rows.ts";

/** Every folder of the organization, by name: at most 1,000. */
export async function listFolders({ db }: Deps, { organizationId, userId }: Caller): Promise<Folder[]> {
  const { rows } = await db.pool.query<FolderRow & { isFavourite: boolean }>({
    name: "list_folders",
    text: `
      SELECT f.id, f.name, f.parent_id AS "parentId", f.created_by AS "createdBy", f.created_at AS "createdAt",
        f.updated_at AS "updatedAt",
        EXISTS (SELECT FROM favourites WHERE user_id = $2 AND folder_id = f.id) AS "isFavourite"
      FROM folders f WHERE f.organization_id = $1 ORDER BY lower(f.name), f.id`,
    values: [organizationId, userId],
  });
  return rows.map(({ isFavourite, ...row }) => toFolder(row, isFavourite));
}

export async function createFolder(
  { db, clock }: Deps,
  caller: Caller,
  { name, parentId }: CreateFolder,
): Promise<Folder> {
  const { organizationId, userId } = caller;
  const now = clock.now();
  return db.transaction(async (tx) => {
    await lockTree(tx, caller);
    if (parentId !== null) await lockFolder(tx, caller, parentId, "KEY SHARE");
    await refuseSameName(tx, caller, { name, parentId });
    const row = await tx.folder.create({
      data: {
        id: newId(clock),
        organizationId,
        parentId,
        name,
        createdBy: userId,
        createdAt: now,
        updatedAt: now,
      },
    });
    const detail = { name, parentId };
    await recordAudit({ tx, clock }, caller, { action: "folder.created", targetId: row.id, detail });
    return toFolder(row, false);
  });
}

/** Renames a folder, or moves it with all that is in it. A trigger refuses cycles and trees that are too deep. */
export async function updateFolder(
  { db, clock }: Deps,
  caller: Caller,
  { id, ...input }: UpdateFolder,
): Promise<Folder> {
  return db.transaction(async (tx) => {
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
    return toFolder(row, (await tx.favourite.count({ where: { userId, folderId: id } })) > 0);
  });
}

/** Deletes a folder. What is in it moves up to its parent, deleted and archived items too. */
export async function deleteFolder({ db, clock }: Deps, caller: Caller, { id }: FolderId): Promise<void> {
  await db.transaction(async (tx) => {
    await lockTree(tx, caller);
    // Nothing can be moved into it from now on.
    const { name, parentId } = await lockFolder(tx, caller, id, "UPDATE");
    // A folder in it may have its name.
    await tx.folder.update({ where: { id }, data: { name: id } });
    for (const child of await tx.folder.findMany({ where: { parentId: id } })) {
      await refuseSameName(tx, caller, { id: child.id, name: child.name, parentId });
    }
    await tx.folder.updateMany({ where: { parentId: id }, data: { parentId, updatedAt: clock.now() } });
    await lockItemsOfFolder(tx, id);
    const inIt = { where: { folderId: id }, data: { folderId: parentId } };
    await tx.query.updateMany(inIt);
    await tx.queryReference.updateMany(inIt);
    await tx.automation.updateMany(inIt);
    await tx.folder.delete({ where: { id } });
    const detail = { name, movedTo: parentId };
    await recordAudit({ tx, clock }, caller, { action: "folder.deleted", targetId: id, detail });
  });
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
    SELECT 1 FROM folders
    WHERE organization_id = ${organizationId}::uuid AND parent_id IS NOT DISTINCT FROM ${parentId}::uuid
      AND lower(name) = lower(${name}) AND id IS DISTINCT FROM ${id ?? null}::uuid`;
  if (sibling.length === 0) return;
  const message = `There is a folder “${name}” in that place. Choose another name.`;
  throw new AppError("conflict", message, { errors: [{ path: "name", message }] });
}

type FolderRow = Omit<Prisma.FolderModel, "organizationId">;

const toFolder = (row: FolderRow, isFavourite: boolean): Folder => ({
  id: row.id,
  name: row.name,
  parentId: row.parentId,
  isFavourite,
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});
