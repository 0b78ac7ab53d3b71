import type { Prisma, Tx } from "@querybell/db";
import { AppError, type Caller, newId, type UploadFormat } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { fileTooLarge, quotaExceeded } from "./refusals.ts";
import { readTableBytes } from "./uploads-database.ts";

const maxWaiting = 20;
/** How long a row outlives the process that receives the file. */
export const receivingMs = 60_000;

export interface AnnouncedUpload {
  fileName: string;
  format: UploadFormat;
  /** The size, if the client says it in advance. */
  announcedBytes: number | undefined;
}

/** Inserts the row of a file that is about to be received, and reserves its size in the quota. */
export async function reserveUpload(
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
  await tx.$queryRaw`SELECT 1 FROM upload_stores WHERE organization_id = ${organizationId}::uuid FOR UPDATE`;
  const tableBytes = await readTableBytes(tx, organizationId);
  const { _sum, _count } = await tx.upload.aggregate({
    where: { organizationId },
    _sum: { bytes: true },
    _count: true,
  });
  return { usedBytes: tableBytes + Number(_sum.bytes ?? 0n), waiting: _count };
}
