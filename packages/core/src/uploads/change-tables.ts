import type { Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type DropTable,
  type FileReading,
  type ImportedTable,
  type ImportMode,
  type ImportUpload,
} from "@querybell/domain";
import { foldName } from "@querybell/domain/upload-formats";
import type { WaitOptions } from "@querybell/engine-hosts";
import type { StoredTable } from "@querybell/engines";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { changeStore } from "./change-store.ts";
import { findReading, requireKey } from "./file-readings.ts";
import { requireUploads } from "./upload-limits.ts";
import { getTable, nameIs } from "./uploaded-tables.ts";
import { deleteWaiting, getWaitingUpload, takeWaiting } from "./waiting-uploads.ts";

const actions = {
  create: "uploaded_table.created",
  replace: "uploaded_table.replaced",
  append: "uploaded_table.appended",
  upsert: "uploaded_table.updated",
} as const;

/** Imports a waiting file into a table: all of its rows or, if anything fails, none. */
export async function importUpload(
  deps: Deps,
  caller: Caller,
  { id, table, mode, types, dateOrder, signal, ...input }: ImportUpload & WaitOptions,
): Promise<ImportedTable> {
  await requireUploads(deps, caller);
  const { upload, file } = await getWaitingUpload(deps, caller, id);
  const { fileName, bytes } = upload;
  const { key, ...asked } = await findReading(deps, caller, { ...input, table });
  const { reading, namesBefore, numbersBefore, before, dateOrderBefore } = asked;
  if (mode === "upsert") requireKey(key);
  const { renamed, update } = await changeStore(deps, caller, {
    change: {
      kind: "import",
      mode,
      table,
      key,
      reading,
      namesBefore,
      numbersBefore,
      types,
      // Rows that are added are read in the order of each column.
      dateOrder: dateOrder ?? (mode === "replace" ? dateOrderBefore : undefined),
      file,
    },
    freedBytes: Number(bytes),
    signal,
    async record(tx, { table: stored, hasNamesAsBefore }) {
      const isTaken = await takeWaiting({ ...deps, tx }, upload);
      if (!isTaken)
        throw new AppError("not_found", "The file was discarded or imported meanwhile. Nothing was changed.");
      // Where the new rows replace all others, a line of names that the file does not have is forgotten.
      const isForgotten = namesBefore && mode === "replace" && !hasNamesAsBefore;
      const remembered = {
        ...reading,
        ...(namesBefore && !isForgotten && { header: namesBefore.header }),
        ...rememberedNumbers(before, reading, mode),
      };
      await recordTable({ ...deps, tx }, caller, {
        table,
        mode,
        key,
        fileName,
        reading: remembered,
        stored,
      });
    },
  });
  // The import has committed. The sweeper deletes a file that cannot be deleted here.
  await deleteWaiting(deps, upload).catch(() => {});
  return { ...(await getTable(deps, caller, table)), renamed, ...(update && { update }) };
}

/** Where rows are added, the columns that the request does not name keep the form of their numbers. */
function rememberedNumbers(
  { numbers: before }: FileReading,
  { numbers: asked }: FileReading,
  mode: ImportMode,
): Pick<FileReading, "numbers"> {
  if (asked === undefined || before === undefined) return { numbers: asked ?? before };
  if (mode === "create" || mode === "replace") return { numbers: asked };
  const named = new Set(Object.keys(asked).map(foldName));
  const others = Object.entries(before).filter(([name]) => !named.has(foldName(name)));
  return { numbers: Object.fromEntries([...others, ...Object.entries(asked)]) };
}

interface ImportedFile {
  table: string;
  mode: ImportMode;
  key: string[];
  fileName: string;
  reading: FileReading;
  /** Null if the engine host answers that there is no such table. */
  stored: StoredTable | null;
}

async function recordTable(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  caller: Caller,
  { table, mode, key, fileName, reading, stored }: ImportedFile,
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
      reading,
      key,
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
