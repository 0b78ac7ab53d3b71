import { rm } from "node:fs/promises";
import type { Tx } from "@querybell/db";
import type { Deps } from "../deps.ts";
import { waitingFile } from "./upload-paths.ts";

/**
 * Takes a waiting file out of the list. False if it is not there any more. Its row stays until the file is deleted, so
 * that the sweeper finds a file whose process died in between.
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

/** Deletes a file that was taken, and then its row. */
export async function deleteWaiting(
  deps: Pick<Deps, "db" | "deployment">,
  upload: { organizationId: string; id: string },
): Promise<void> {
  await rm(waitingFile(deps, upload), { force: true });
  await deps.db.prisma.upload.deleteMany({ where: { id: upload.id } });
}
