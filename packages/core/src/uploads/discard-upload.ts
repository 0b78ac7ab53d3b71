import { rm } from "node:fs/promises";
import { AppError, type Caller, type UploadId } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { requireUploads } from "./require-uploads.ts";
import { waitingFile } from "./upload-paths.ts";

/** Deletes a file that waits to be imported. */
export async function discardUpload(deps: Deps, caller: Caller, { id }: UploadId): Promise<void> {
  await requireUploads(deps, caller);
  const { organizationId } = caller;
  const { count } = await deps.db.prisma.upload.deleteMany({
    where: { id, organizationId, isComplete: true },
  });
  if (count === 0) {
    throw new AppError("not_found", "There is no such file waiting. It was imported or discarded already.");
  }
  await rm(waitingFile(deps, { organizationId, id }), { force: true });
}
