import { AppError, type Caller, type UploadId } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { deleteWaiting, takeWaiting } from "./delete-waiting.ts";
import { requireUploads } from "./require-uploads.ts";

/** Deletes a file that waits to be imported. */
export async function discardUpload(deps: Deps, caller: Caller, { id }: UploadId): Promise<void> {
  await requireUploads(deps, caller);
  const upload = { organizationId: caller.organizationId, id };
  if (!(await takeWaiting({ ...deps, tx: deps.db.prisma }, upload))) {
    throw new AppError("not_found", "There is no such file waiting. It was imported or discarded already.");
  }
  await deleteWaiting(deps, upload);
}
