import { mkdir, open } from "node:fs/promises";
import type { Prisma, Tx } from "@querybell/db";
import { AppError, type Caller, newId, type Upload, type UploadFormat } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { readTableBytes, waitingFile, waitingFolder } from "./stored-files.ts";
import { diskFailure, fileTooLarge, quotaExceeded, requireUploads } from "./upload-limits.ts";
import { deleteWaiting, toUpload } from "./waiting-uploads.ts";

const waitsForImportMs = 24 * 60 * 60 * 1000;
const renewEveryMs = 15_000;

interface ReceiveUpload extends AnnouncedUpload {
  /** The file's content. Throws when the client goes away. */
  content: AsyncIterable<Uint8Array>;
}

/** Stores an uploaded file as it arrives. It can be imported for a day. */
export async function receiveUpload(
  deps: Deps,
  caller: Caller,
  { content, ...announced }: ReceiveUpload,
): Promise<Upload> {
  await requireUploads(deps, caller);
  const row = await reserveUpload(deps, caller, announced);
  const renewal = renewRow(deps, row.id);
  try {
    const bytes = await writeContent(deps, row, content);
    if (bytes === 0) throw new AppError("upload_unreadable", "The file is empty. Choose another one.");
    return await complete(deps, row.id, bytes);
  } catch (error) {
    await deleteWaiting(deps, row);
    throw diskFailure(error) ?? error;
  } finally {
    clearInterval(renewal);
  }
}

/** Postpones the expiry of the row while the file is received. If that fails, completing the row fails too. */
const renewRow = ({ db, clock }: Pick<Deps, "db" | "clock">, id: string): NodeJS.Timeout =>
  setInterval(() => {
    const expiresAt = new Date(clock.now().getTime() + receivingMs);
    void db.prisma.upload
      .updateMany({ where: { id, isComplete: false }, data: { expiresAt } })
      .catch(() => {});
  }, renewEveryMs);

async function writeContent(
  deps: Pick<Deps, "deployment">,
  row: Prisma.UploadModel,
  content: AsyncIterable<Uint8Array>,
): Promise<number> {
  await mkdir(waitingFolder(deps, row), { recursive: true, mode: 0o700 });
  const file = await open(waitingFile(deps, row), "wx", 0o600);
  let bytes = 0;
  try {
    for await (const chunk of content) {
      bytes += chunk.length;
      if (bytes > Number(row.bytes)) throw tooLarge(deps, bytes);
      await file.writeFile(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return bytes;
}

const tooLarge = ({ deployment: { uploads } }: Pick<Deps, "deployment">, bytes: number): AppError =>
  bytes > uploads.maxFileBytes ? fileTooLarge(uploads.maxFileBytes) : quotaExceeded(uploads.quotaBytes);

async function complete(
  { db, clock }: Pick<Deps, "db" | "clock">,
  id: string,
  bytes: number,
): Promise<Upload> {
  const expiresAt = new Date(clock.now().getTime() + waitsForImportMs);
  return db.transaction(async (tx) => {
    const { count } = await tx.upload.updateMany({
      where: { id, isComplete: false },
      data: { bytes, isComplete: true, expiresAt },
    });
    if (count === 0)
      throw new AppError("unavailable", "The upload was interrupted for too long. Upload the file again.");
    return toUpload(await tx.upload.findUniqueOrThrow({ where: { id } }));
  });
}

const maxWaiting = 20;
/** How long a row outlives the process that receives the file. */
const receivingMs = 60_000;

interface AnnouncedUpload {
  fileName: string;
  format: UploadFormat;
  /** The size, if the client says it in advance. */
  announcedBytes: number | undefined;
}

/** Inserts the row of a file that is about to be received, and reserves its size in the quota. */
async function reserveUpload(
  { db, clock, deployment }: Pick<Deps, "db" | "clock" | "deployment">,
  { organizationId, userId }: Caller,
  { fileName, format, announcedBytes }: AnnouncedUpload,
): Promise<Prisma.UploadModel> {
  const { maxFileBytes, quotaBytes } = deployment.uploads;
  if ((announcedBytes ?? 0) > maxFileBytes) throw fileTooLarge(maxFileBytes);
  return db.transaction(async (tx) => {
    const { usedBytes, waiting } = await lockUsage(tx, organizationId);
    if (waiting >= maxWaiting) {
      throw new AppError(
        "conflict",
        `${maxWaiting} files of this organization wait to be imported. Import or discard some first.`,
      );
    }
    const available = quotaBytes - usedBytes;
    if ((announcedBytes ?? 1) > available) throw quotaExceeded(quotaBytes);
    const now = clock.now();
    return tx.upload.create({
      data: {
        id: newId(clock),
        organizationId,
        createdBy: userId,
        fileName,
        format,
        bytes: announcedBytes ?? Math.min(maxFileBytes, available),
        createdAt: now,
        expiresAt: new Date(now.getTime() + receivingMs),
      },
    });
  });
}

/** Reads what an organization's uploads use, and locks it: other uploads wait until the transaction ends. */
async function lockUsage(tx: Tx, organizationId: string): Promise<{ usedBytes: number; waiting: number }> {
  const stores = await tx.$queryRaw<
    unknown[]
  >`SELECT 1 FROM upload_stores WHERE organization_id = ${organizationId}::uuid FOR UPDATE`;
  if (stores.length === 0) throw new AppError("forbidden", "This organization is being deleted.");
  const tableBytes = await readTableBytes(tx, organizationId);
  const { _sum, _count } = await tx.upload.aggregate({
    where: { organizationId },
    _sum: { bytes: true },
    _count: true,
  });
  return { usedBytes: tableBytes + Number(_sum.bytes ?? 0n), waiting: _count };
}
