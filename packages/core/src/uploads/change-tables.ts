import type { Prisma, Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type DropTable,
  type ImportMode,
  type ImportUpload,
  UploadedTable,
} from "@querybell/domain";
import type { WaitOptions } from "@querybell/engine-hosts";
import type { StoredTable } from "@querybell/engines";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { changeStore } from "./change-store.ts";
import { requireUploads } from "./upload-limits.ts";
import { deleteWaiting, getWaitingUpload, takeWaiting } from "./waiting-uploads.ts";

const actions = {
  create: "uploaded_table.created",
  replace: "uploaded_table.replaced",
  append: "uploaded_table.appended",
} as const;

/** Imports a waiting file into a table: all of its rows or, if anything fails, none. */
export async function importUpload(
  deps: Deps,
  caller: Caller,
  { id, table, mode, types, dateOrder, signal }: ImportUpload & WaitOptions,
): Promise<UploadedTable> {
  await requireUploads(deps, caller);
  const { upload, path } = await getWaitingUpload(deps, caller, id);
  const { fileName, format, bytes } = upload;
  await changeStore(deps, caller, {
    change: { kind: "import", mode, table, types, dateOrder, file: { path, format } },
    freedBytes: Number(bytes),
    signal,
    async record(tx, stored) {
      const isTaken = await takeWaiting({ ...deps, tx }, upload);
      if (!isTaken)
        throw new AppError("not_found", "The file was discarded or imported meanwhile. Nothing was changed.");
      await recordTable({ ...deps, tx }, caller, { table, mode, fileName, stored });
    },
  });
  // The import has committed. The sweeper deletes a file that cannot be deleted here.
  await deleteWaiting(deps, upload).catch(() => {});
  return getTable(deps, caller, table);
}

interface ImportedFile {
  table: string;
  mode: ImportMode;
  fileName: string;
  /** Null if the engine host answers that there is no such table. */
  stored: StoredTable | null;
}

async function recordTable(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  caller: Caller,
  { table, mode, fileName, stored }: ImportedFile,
): Promise<void> {
  const { organizationId, userId } = caller;
  if (!stored) throw new Error(`The engine host made no table ${table}.`);
  const now = clock.now();
  const before = await tx.uploadedTable.findFirst({ where: { organizationId, ...nameIs(table) } });
  await tx.uploadedTable.deleteMany({ where: { organizationId, ...nameIs(table) } });
  const { name, columns, rowCount, bytes } = stored;
  await tx.uploadedTable.create({
    data: {
      organizationId,
      name,
      columns,
      rowCount,
      bytes,
      fileName,
      updatedBy: userId,
      createdAt: before?.createdAt ?? now,
      updatedAt: now,
    },
  });
  const action = before ? actions[mode] : actions.create;
  await recordAudit({ tx, clock }, caller, {
    action,
    targetId: name,
    detail: { table: name, fileName, rows: rowCount },
  });
}

/** Drops a table. Runs in progress still read it; later ones fail. */
export async function dropTable(
  deps: Deps,
  caller: Caller,
  { table, signal }: DropTable & WaitOptions,
): Promise<void> {
  await requireUploads(deps, caller);
  const { name } = await getTable(deps, caller, table);
  await changeStore(deps, caller, {
    change: { kind: "drop", table: name },
    freedBytes: 0,
    signal,
    async record(tx) {
      await tx.uploadedTable.deleteMany({
        where: { organizationId: caller.organizationId, ...nameIs(name) },
      });
      await recordAudit({ ...deps, tx }, caller, {
        action: "uploaded_table.dropped",
        targetId: name,
        detail: { table: name },
      });
    },
  });
}

/** Names of tables do not distinguish upper and lower case. Prisma compares them with ILIKE, where _ is a wildcard. */
const nameIs = (table: string) =>
  ({ name: { equals: table.replaceAll(/[\\%_]/g, "\\$&"), mode: "insensitive" } }) as const;

export const withUpdater = { updater: { select: { id: true, name: true } } } as const;

type Row = Prisma.UploadedTableModel & { updater: { id: string; name: string } | null };

export const toTable = ({ updater, ...row }: Row): UploadedTable => ({
  name: row.name,
  columns: UploadedTable.shape.columns.parse(row.columns),
  rowCount: Number(row.rowCount),
  bytes: Number(row.bytes),
  fileName: row.fileName,
  updatedBy: updater && { userId: updater.id, name: updater.name },
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

async function getTable(
  { db }: Pick<Deps, "db">,
  { organizationId }: Pick<Caller, "organizationId">,
  table: string,
): Promise<UploadedTable> {
  const row = await db.prisma.uploadedTable.findFirst({
    where: { organizationId, ...nameIs(table) },
    include: withUpdater,
  });
  if (!row)
    throw new AppError("not_found", `There is no table ${table}. List the tables to see which there are.`);
  return toTable(row);
}
