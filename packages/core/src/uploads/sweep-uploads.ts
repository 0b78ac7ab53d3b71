import { rm } from "node:fs/promises";
import type { Deps } from "../deps.ts";
import { storeFolder } from "./stored-files.ts";
import { deleteWaiting } from "./waiting-uploads.ts";

/** How long a replaced file is kept at least: a process may have read its name just before. */
const graceSeconds = 300;

interface Swept {
  waitingFiles: number;
  databaseFiles: number;
}

/**
 * Deletes files that are no longer needed. The row of a file says what it is for, and is deleted after the
 * file. If a file cannot be deleted, the others are still deleted; then this throws.
 */
export async function sweepUploads(deps: Deps): Promise<Swept> {
  const failures: unknown[] = [];
  const attempt: Attempt = async (deleteFile) => {
    try {
      await deleteFile();
    } catch (error) {
      failures.push(error);
    }
  };
  const swept = {
    waitingFiles: await sweepWaiting(deps, attempt),
    databaseFiles: await sweepStoreFiles(deps, attempt),
  };
  if (failures.length > 0) {
    const message = `Files of uploads that could not be deleted: ${failures.length}. The first: ${failures[0]}`;
    throw new AggregateError(failures, message);
  }
  return swept;
}

type Attempt = (deleteFile: () => Promise<void>) => Promise<void>;

/** Files that were not imported in time, or whose receiving process died. */
async function sweepWaiting(deps: Deps, attempt: Attempt): Promise<number> {
  const { db, clock } = deps;
  const expired = await db.prisma.upload.findMany({
    where: { expiresAt: { lte: clock.now() } },
    select: { id: true, organizationId: true },
    take: 1000,
  });
  for (const upload of expired) {
    // If the file is still being received, its upload fails, because its row is deleted.
    await attempt(() => deleteWaiting(deps, upload));
  }
  return expired.length;
}

/** Database files of changes that did not commit, and those that were replaced and that no run reads. */
async function sweepStoreFiles(deps: Deps, attempt: Attempt): Promise<number> {
  const { db, clock } = deps;
  await fenceDeadChanges(deps);
  const { rows } = await db.pool.query<{ fileId: string; organizationId: string }>({
    name: "find_unused_upload_files",
    text: `
      SELECT f.id AS "fileId", f.organization_id AS "organizationId"
      FROM upload_store_files f
      JOIN upload_stores s USING (organization_id)
      JOIN analytical_database_configs d ON d.id = s.database_id
      WHERE d.upload_file_id IS DISTINCT FROM f.id AND CASE
        WHEN f.replaced_at IS NULL THEN f.change_number < s.change_number OR s.change_until IS NULL
        ELSE f.replaced_at < $1::timestamptz - make_interval(secs => $2) AND NOT EXISTS (
          SELECT FROM query_runs r
          WHERE r.organization_id = f.organization_id AND r.status = 'running'
            AND r.started_at <= f.replaced_at + make_interval(secs => $2))
        END
      LIMIT 1000`,
    values: [clock.now(), graceSeconds],
  });
  for (const file of rows) {
    await attempt(async () => {
      await rm(storeFolder(deps, file), { recursive: true, force: true });
      await db.prisma.uploadStoreFile.deleteMany({ where: { id: file.fileId } });
    });
  }
  return rows.length;
}

/** Ends changes whose lease has expired: with a new change number, none of them can commit any more. */
const fenceDeadChanges = ({ db }: Pick<Deps, "db">) =>
  db.pool.query({
    name: "fence_dead_upload_changes",
    text: "UPDATE upload_stores SET change_number = change_number + 1, change_until = NULL WHERE change_until < now()",
  });
