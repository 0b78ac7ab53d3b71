import { mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Prisma, Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type PreviewUpload,
  suggestTableName,
  type Upload,
  type UploadId,
  type UploadPreview,
} from "@querybell/domain";
import type { WaitOptions } from "@querybell/engine-hosts";
import type { UploadedFile, UploadRefusal } from "@querybell/engines";
import type { Deps } from "../deps.ts";
import { findReading, findRemembered, requireKey, withTypesOfTable } from "./file-readings.ts";
import { getStorePath, previewsFolder, waitingFile } from "./stored-files.ts";
import { refusalToAppError, requireUploads } from "./upload-limits.ts";

export const toUpload = (row: Prisma.UploadModel): Upload => ({
  id: row.id,
  fileName: row.fileName,
  format: row.format,
  bytes: Number(row.bytes),
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
});

/** A file that waits to be imported, as engine hosts read it. Throws if there is none. */
export async function getWaitingUpload(
  deps: Pick<Deps, "db" | "clock" | "deployment">,
  { organizationId }: Pick<Caller, "organizationId">,
  id: string,
): Promise<{ upload: Prisma.UploadModel; file: UploadedFile }> {
  const upload = await deps.db.prisma.upload.findFirst({
    where: { id, organizationId, isComplete: true, expiresAt: { gt: deps.clock.now() } },
  });
  if (!upload) {
    throw new AppError(
      "not_found",
      "There is no such file waiting. It was imported or discarded, or a day has passed. Upload it again.",
    );
  }
  const path = waitingFile(deps, upload);
  if (!(await stat(path).catch(() => undefined))?.isFile()) {
    throw new AppError(
      "unavailable",
      "The uploaded file is not on this machine. The operator has to share the folder of embedded databases between the machines.",
    );
  }
  const { maxFileBytes: maxUnpackedBytes } = deps.deployment.uploads;
  return { upload, file: { path, format: upload.format, maxUnpackedBytes } };
}

/** The columns of a waiting file with their guessed types, and its first rows. */
export async function previewUpload(
  deps: Deps,
  caller: Caller,
  { id, table, mode, types, dateOrder, answersRefusal, signal, ...input }: PreviewUpload & WaitOptions,
): Promise<UploadPreview> {
  await requireUploads(deps, caller);
  const { upload, file } = await getWaitingUpload(deps, caller, id);
  const found = await findReading(deps, caller, { ...input, table });
  const { reading, namesBefore, numbersBefore, before, key, columns } = found;
  const order = dateOrder ?? found.dateOrderBefore;
  const isUpsert = mode === "upsert" && table !== undefined;
  if (isUpsert) requireKey(key);
  const upsert = isUpsert && columns ? { database: await getStorePath(deps, caller), table, key } : undefined;
  const scratchFolder = await createScratchFolder(deps, upload);
  try {
    const outcome = await deps.engines.previewUpload(
      {
        organizationId: upload.organizationId,
        file,
        reading,
        namesBefore,
        numbersBefore,
        types,
        dateOrder: order,
        scratchFolder,
        upsert,
      },
      { signal },
    );
    const suggestedTable = suggestTableName(upload.fileName);
    if (outcome.kind === "refused") {
      const { refusal } = outcome;
      if (!answersRefusal || refusal.reason !== "unreadable") throw refusalToAppError(refusal);
      return { ...toRefusedPreview(refusal), suggestedTable };
    }
    const { hasNamesAsBefore: _, ...preview } = outcome.preview;
    // Parquet has types without rows, too.
    const keepsTypes = columns && Object.keys(types).length === 0 && upload.format !== "parquet";
    return {
      ...preview,
      ...(keepsTypes && { columns: withTypesOfTable(preview, columns) }),
      ...(order && preview.ambiguousDates.length > 0 && { dateOrder: order }),
      remembered: findRemembered(before, input.reading, outcome.preview),
      suggestedTable,
    };
  } finally {
    // If this process dies before, the folder is deleted with the waiting file.
    await rm(scratchFolder, { recursive: true, force: true });
  }
}

/** What is known of a file that cannot be read. */
const toRefusedPreview = ({ message, found }: UploadRefusal): Omit<UploadPreview, "suggestedTable"> => ({
  columns: [],
  reading: found?.reading ?? {},
  remembered: {},
  questions: [],
  renamed: [],
  sheets: found?.sheets ?? [],
  notes: [],
  numberReadings: found?.misread?.numberReadings ?? [],
  rows: [],
  ambiguousDates: [],
  refusal: {
    message,
    ...(found?.suggestedHeader !== undefined && { suggestedHeader: found.suggestedHeader }),
    ...(found?.misread && { column: found.misread.column }),
  },
});

async function createScratchFolder(
  deps: Pick<Deps, "deployment">,
  upload: { organizationId: string; id: string },
): Promise<string> {
  const previews = previewsFolder(deps, upload);
  await mkdir(previews, { recursive: true, mode: 0o700 });
  return mkdtemp(join(previews, "preview-"));
}

/** Deletes a file that waits to be imported. */
export async function discardUpload(deps: Deps, caller: Caller, { id }: UploadId): Promise<void> {
  await requireUploads(deps, caller);
  const upload = { organizationId: caller.organizationId, id };
  if (!(await takeWaiting({ ...deps, tx: deps.db.prisma }, upload))) {
    throw new AppError("not_found", "There is no such file waiting. It was imported or discarded already.");
  }
  await deleteWaiting(deps, upload);
}

/**
 * Removes a waiting file from the list. False if it is no longer listed. Its row stays until the file is deleted, so
 * that the sweeper finds the file if this process dies in between.
 */
export async function takeWaiting(
  { tx, clock }: { tx: Pick<Tx, "upload"> } & Pick<Deps, "clock">,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<boolean> {
  const { count } = await tx.upload.updateMany({
    where: { id, organizationId, isComplete: true },
    data: { isComplete: false, expiresAt: clock.now() },
  });
  return count === 1;
}

/** Deletes a file that is no longer listed, and then its row. */
export async function deleteWaiting(
  deps: Pick<Deps, "db" | "deployment">,
  upload: { organizationId: string; id: string },
): Promise<void> {
  await rm(previewsFolder(deps, upload), { recursive: true, force: true });
  await rm(waitingFile(deps, upload), { force: true });
  await deps.db.prisma.upload.deleteMany({ where: { id: upload.id } });
}
