import { rm } from "node:fs/promises";
import type { Tx } from "@querybell/db";
import type { Deps } from "../deps.ts";
import { waitingFile } from "./upload-paths.ts";

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
  await rm(waitingFile(deps, upload), { force: true });
  await deps.db.prisma.upload.deleteMany({ where: { id: upload.id } });
}
