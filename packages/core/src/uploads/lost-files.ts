import { access } from "node:fs/promises";
import { join } from "node:path";
import { recordAuditOfEach } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { listStoredFiles, type StoredFile } from "./stored-files.ts";
import { deleteWaiting } from "./waiting-uploads.ts";

/** The files that rows need and that are not in the folder of embedded databases. */
export async function findLostFiles({
  db,
  deployment,
}: Pick<Deps, "db" | "deployment">): Promise<StoredFile[]> {
  const lost: StoredFile[] = [];
  for (const file of await listStoredFiles(db.pool)) {
    const isThere = await access(join(deployment.dataFolder, file.path)).then(
      () => true,
      () => false,
    );
    if (!isThere) lost.push(file);
  }
  return lost;
}

/** The tables that a backup has of an organization. Their file is in the folder already. */
export interface OlderTables {
  fileId: string;
  usedBytes: number;
  /** The rows of `uploaded_tables`: a JSON array. */
  rows: string;
}

/**
 * Stops needing a lost file, in the name of the operator. Its organization gets its older tables, or has none from then on
 * and imports them again: until then its queries fail, because there are no such tables.
 */
export async function giveUpLostFile(
  deps: Pick<Deps, "db" | "clock" | "deployment">,
  lost: StoredFile,
  older: OlderTables | undefined,
): Promise<void> {
  if (lost.holds === "import") return deleteWaiting(deps, lost);
  const { organizationId, id } = lost;
  const now = deps.clock.now();
  await deps.db.transaction(async (tx) => {
    // With a new number, a change in progress cannot commit any more.
    const { databaseId, changeNumber } = await tx.uploadStore.update({
      where: { organizationId },
      data: { changeNumber: { increment: 1 }, changeUntil: null },
    });
    const isCurrent = { id: databaseId, uploadFileId: id };
    const { count } = await tx.analyticalDatabaseConfig.updateMany({
      where: isCurrent,
      data: { uploadFileId: null },
    });
    // Another command has replaced it.
    if (count === 0) return;
    await tx.uploadStoreFile.update({ where: { id }, data: { replacedAt: now } });
    const before = await tx.uploadedTable.findMany({ where: { organizationId }, select: { name: true } });
    await tx.uploadedTable.deleteMany({ where: { organizationId } });
    if (older) {
      const { fileId, usedBytes, rows } = older;
      const data = { changeNumber, usedBytes, replacedAt: null };
      await tx.uploadStoreFile.upsert({
        where: { id: fileId },
        create: { id: fileId, organizationId, createdAt: now, ...data },
        update: data,
      });
      // Whoever imported a table may have been erased since.
      await tx.$executeRaw`
        INSERT INTO uploaded_tables
        SELECT (jsonb_populate_record(t, jsonb_build_object('updated_by', u.id))).*
        FROM jsonb_populate_recordset(NULL::uploaded_tables, ${rows}::jsonb) t LEFT JOIN users u ON u.id = t.updated_by`;
      await tx.analyticalDatabaseConfig.update({
        where: { id: databaseId },
        data: { uploadFileId: fileId },
      });
    }
    const after = await tx.uploadedTable.findMany({ where: { organizationId } });
    const dropped = before.filter(({ name }) => !after.some((table) => table.name === name));
    await recordAuditOfEach({ ...deps, tx }, { organizationId, userId: null }, [
      ...after.map(({ name, fileName, rowCount }) => ({
        action: "uploaded_table.replaced" as const,
        targetId: name,
        detail: { table: name, fileName, rows: Number(rowCount) },
      })),
      ...dropped.map(({ name }) => ({
        action: "uploaded_table.dropped" as const,
        targetId: name,
        detail: { table: name },
      })),
    ]);
  });
}
