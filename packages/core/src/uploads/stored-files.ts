import { join } from "node:path";
import type { Tx } from "@querybell/db";
import { AppError } from "@querybell/domain";
import type { Deps } from "../deps.ts";

export const storeFileName = "uploads.duckdb";

export interface StoreFile {
  organizationId: string;
  fileId: string;
}

/** The path of the database file, relative to the folder of embedded databases. */
export const storePath = ({ organizationId, fileId }: StoreFile): string =>
  `uploads/${organizationId}/${fileId}/${storeFileName}`;

/** The path of a file that waits to be imported, relative to the same folder. */
const waitingPath = ({ organizationId, id }: { organizationId: string; id: string }): string =>
  `uploads/${organizationId}/waiting/${id}`;

/** The folder of one database file. It is the workspace of the engine host that makes the file. */
export const storeFolder = (
  { deployment }: Pick<Deps, "deployment">,
  { organizationId, fileId }: StoreFile,
) => join(deployment.dataFolder, "uploads", organizationId, fileId);

/** The folder of the files that wait to be imported. */
export const waitingFolder = (
  { deployment }: Pick<Deps, "deployment">,
  { organizationId }: Pick<StoreFile, "organizationId">,
): string => join(deployment.dataFolder, "uploads", organizationId, "waiting");

export const waitingFile = (
  { deployment }: Pick<Deps, "deployment">,
  upload: { organizationId: string; id: string },
): string => join(deployment.dataFolder, waitingPath(upload));

/** The database that holds an organization's uploads. Throws if the caller may not use it. */
export async function getUploadsDatabase(tx: Pick<Tx, "analyticalDatabaseConfig">, organizationId: string) {
  const row = await tx.analyticalDatabaseConfig.findFirst({
    where: { organizationId, holdsUploads: true },
    include: { uploadFile: true },
  });
  if (row) return row;
  throw new AppError(
    "forbidden",
    "You may not see uploaded files and their tables. Ask an admin for the right.",
  );
}

/** The bytes that the tables use in their file. */
export async function readTableBytes(
  tx: Pick<Tx, "analyticalDatabaseConfig">,
  organizationId: string,
): Promise<number> {
  const { uploadFile } = await getUploadsDatabase(tx, organizationId);
  return Number(uploadFile?.usedBytes ?? 0n);
}

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
