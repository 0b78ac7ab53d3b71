import { rm } from "node:fs/promises";
import type { Deps } from "../deps.ts";
import { deleteWaiting } from "./delete-waiting.ts";
import { storeFolder } from "./upload-paths.ts";

/** How long a replaced file is kept at least, for who found out its name just before. */
const graceSeconds = 300;

interface Swept {
  waitingFiles: number;
  databaseFiles: number;
}

/** Deletes files that nobody needs any more. What a file is for is known from its row, which is deleted after it. */
export async function sweepUploads(deps: Deps): Promise<Swept> {
  return { waitingFiles: await sweepWaiting(deps), databaseFiles: await sweepStoreFiles(deps) };
}

/** Files that were not imported in time, or whose receiving process died. */
async function sweepWaiting(deps: Deps): Promise<number> {
  const { db, clock } = deps;
  const expired = await db.prisma.upload.findMany({
    where: { expiresAt: { lte: clock.now() } },
    select: { id: true, organizationId: true },
    take: 1000,
  });
  for (const upload of expired) {
    // A file that is being received may have been renewed since. Its process finds out that the row is gone.
    await deleteWaiting(deps, upload);
  }
  return expired.length;
}

/** Database files of changes that did not commit, and those that were replaced and that no run reads. */
async function sweepStoreFiles(deps: Deps): Promise<number> {
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
    await rm(storeFolder(deps, file), { recursive: true, force: true });
    await db.prisma.uploadStoreFile.deleteMany({ where: { id: file.fileId } });
  }
  return rows.length;
}

/** Ends changes whose process is gone: with a new number, none of them can commit if it comes back. */
const fenceDeadChanges = ({ db }: Pick<Deps, "db">) =>
  db.pool.query({
    name: "fence_dead_upload_changes",
    text: "UPDATE upload_stores SET change_number = change_number + 1, change_until = NULL WHERE change_until < now()",
  });
