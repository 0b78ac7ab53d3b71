import type { Deps } from "../deps.ts";
import { storePath, waitingPath } from "./upload-paths.ts";

/**
 * The files that the rows need: the current database file of each organization, and the files that wait to be imported.
 * Their paths are relative to the folder of embedded databases. None of them ever changes, but the sweeper deletes those
 * that newer rows no longer need.
 */
export async function listStoredFiles(database: Pick<Deps["db"]["pool"], "query">): Promise<string[]> {
  const { rows: stores } = await database.query<{ organizationId: string; fileId: string }>(`
    SELECT organization_id AS "organizationId", upload_file_id AS "fileId"
    FROM analytical_database_configs WHERE upload_file_id IS NOT NULL ORDER BY upload_file_id`);
  const { rows: waiting } = await database.query<{ organizationId: string; id: string }>(`
    SELECT organization_id AS "organizationId", id FROM uploads WHERE is_complete ORDER BY id`);
  return [...stores.map(storePath), ...waiting.map(waitingPath)];
}
