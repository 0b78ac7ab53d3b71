import { stat } from "node:fs/promises";
import type { Prisma } from "@querybell/db";
import { AppError, type Caller, type Upload } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { waitingFile } from "./upload-paths.ts";

export const toUpload = (row: Prisma.UploadModel): Upload => ({
  id: row.id,
  fileName: row.fileName,
  format: row.format,
  bytes: Number(row.bytes),
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
});

/** A file that waits to be imported, with its path. Throws if there is none. */
export async function getWaitingUpload(
  deps: Pick<Deps, "db" | "clock" | "deployment">,
  { organizationId }: Pick<Caller, "organizationId">,
  id: string,
): Promise<{ upload: Prisma.UploadModel; path: string }> {
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
  return { upload, path };
}
