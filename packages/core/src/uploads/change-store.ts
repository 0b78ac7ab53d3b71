import { constants, copyFile, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Tx } from "@querybell/db";
import { AppError, type Caller, newId } from "@querybell/domain";
import type { WaitOptions } from "@querybell/engine-hosts";
import type { ChangedTables, TableChange } from "@querybell/engines";
import type { Deps } from "../deps.ts";
import { acquireChange, type ChangeLease, keepChangeLease, releaseChange } from "./change-lease.ts";
import { type StoreFile, storeFileName, storeFolder } from "./stored-files.ts";
import { diskFailure, quotaExceeded, refusalToAppError } from "./upload-limits.ts";

// The file may have blocks that are not in use, and a log beside it.
const spareFileBytes = 64 * 1024 ** 2;

interface StoreChange extends WaitOptions {
  change: TableChange;
  /** The bytes of the waiting files that this change imports. They no longer count towards the quota. */
  freedBytes: number;
  /** Writes what belongs to the change, in the transaction that makes the new file the current one. */
  record(tx: Tx, changed: ChangedTables): Promise<void>;
}

/**
 * Changes an organization's tables. The change is made in a copy of the database file, by a separate engine host;
 * then one transaction makes the copy the current file. A process that dies in between leaves a file, which the sweeper
 * deletes.
 */
export async function changeStore(
  deps: Deps,
  caller: Caller,
  request: StoreChange,
): Promise<Pick<ChangedTables, "renamed" | "update">> {
  const lease = await acquireChange(deps, caller.organizationId, request.signal);
  const kept = keepChangeLease(deps, lease);
  const file = { organizationId: caller.organizationId, fileId: newId(deps.clock) };
  let isCommitting = false;
  const record: StoreChange["record"] = async (tx, changed) => {
    await request.record(tx, changed);
    isCommitting = true;
  };
  try {
    const signals = [kept.signal, ...(request.signal ? [request.signal] : [])];
    const made = await makeFile(deps, { ...request, lease, file, signal: AbortSignal.any(signals) });
    await kept.stop();
    await commit(deps, { made, record, lease, fileId: file.fileId });
    return made;
  } catch (error) {
    // A commit that failed may have taken effect. The sweeper finds out, and also deletes what cannot be deleted here.
    if (!isCommitting) await discard(deps, lease, file).catch(() => {});
    throw diskFailure(error) ?? error;
  } finally {
    await kept.stop();
  }
}

async function makeFile(
  deps: Deps,
  { lease, file, change, freedBytes, signal }: StoreChange & { lease: ChangeLease; file: StoreFile },
): Promise<ChangedTables> {
  const { organizationId } = file;
  const workspace = storeFolder(deps, file);
  await deps.db.prisma.uploadStoreFile.create({
    data: { id: file.fileId, organizationId, changeNumber: lease.changeNumber, createdAt: deps.clock.now() },
  });
  await mkdir(workspace, { recursive: true, mode: 0o700 });
  const target = join(workspace, storeFileName);
  const allowedBytes = await allowance(deps, organizationId, freedBytes);
  let copiedBytes = 0;
  if (lease.fileId !== null) {
    const current = join(storeFolder(deps, { organizationId, fileId: lease.fileId }), storeFileName);
    await copyCurrent(current, target);
    copiedBytes = (await stat(target)).size;
  }
  const { quotaBytes } = deps.deployment.uploads;
  // The sizes that the host reports may be wrong, so the file itself has a limit too. Dropping a table has no
  // limit, because the file may exceed it already, for example after the quota was lowered.
  const mostBytes = change.kind === "import" ? quotaBytes + spareFileBytes : Number.POSITIVE_INFINITY;
  if (copiedBytes > mostBytes) throw quotaExceeded(quotaBytes);
  const maxFileBytes = Math.min(Math.max(allowedBytes, copiedBytes) + spareFileBytes, mostBytes);
  const outcome = await deps.engines.changeTables(
    { organizationId, workspace, fileName: storeFileName, maxFileBytes, change },
    { signal },
  );
  if (outcome.kind === "refused") throw refusalToAppError(outcome.refusal);
  if (outcome.kind === "too_large") throw quotaExceeded(quotaBytes);
  const { changed } = outcome;
  if (change.kind === "import" && changed.usedBytes > allowedBytes) throw quotaExceeded(quotaBytes);
  await flush(target);
  return changed;
}

/** The bytes that the tables may use: the quota without the waiting files. */
async function allowance(
  { db, deployment }: Deps,
  organizationId: string,
  freedBytes: number,
): Promise<number> {
  const { _sum } = await db.prisma.upload.aggregate({ where: { organizationId }, _sum: { bytes: true } });
  return deployment.uploads.quotaBytes - Number(_sum.bytes ?? 0n) + freedBytes;
}

async function copyCurrent(from: string, to: string): Promise<void> {
  try {
    // Copy on write, where the file system supports it.
    await copyFile(from, to, constants.COPYFILE_FICLONE);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    throw new AppError(
      "unavailable",
      "The file of this organization's uploads is not on this machine. The operator has to share the folder of embedded databases between the machines, or to restore it.",
      { cause: error },
    );
  }
}

/** Flushes the file to the disk before a row names it. Throws if the host left other files. */
async function flush(path: string): Promise<void> {
  const folder = dirname(path);
  const left = await readdir(folder, { withFileTypes: true });
  if (left.length !== 1 || !left.every((entry) => entry.name === storeFileName && entry.isFile())) {
    throw new Error(`The engine host left other files than the database: ${left.map(({ name }) => name)}`);
  }
  for (const each of [path, folder, dirname(folder)]) {
    const handle = await open(each, "r");
    await handle.sync();
    await handle.close();
  }
}

interface Commit extends Pick<StoreChange, "record"> {
  made: ChangedTables;
  lease: ChangeLease;
  fileId: string;
}

async function commit({ db, clock }: Deps, { lease, fileId, made, record }: Commit): Promise<void> {
  const { organizationId, databaseId, changeNumber, fileId: previous } = lease;
  await db.transaction(async (tx) => {
    const { count } = await tx.uploadStore.updateMany({
      where: { organizationId, changeNumber },
      data: { changeUntil: null },
    });
    if (count === 0) {
      throw new AppError(
        "unavailable",
        "The change took too long, and another one began. Nothing was changed; try again.",
      );
    }
    await tx.uploadStoreFile.update({ where: { id: fileId }, data: { usedBytes: made.usedBytes } });
    await tx.analyticalDatabaseConfig.update({ where: { id: databaseId }, data: { uploadFileId: fileId } });
    if (previous !== null) {
      await tx.uploadStoreFile.update({ where: { id: previous }, data: { replacedAt: clock.now() } });
    }
    await record(tx, made);
  });
}

async function discard(deps: Deps, lease: ChangeLease, file: StoreFile): Promise<void> {
  await rm(storeFolder(deps, file), { recursive: true, force: true });
  await deps.db.prisma.uploadStoreFile.deleteMany({ where: { id: file.fileId } });
  await releaseChange(deps, lease);
}
