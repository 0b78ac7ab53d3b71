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

/** The folder with the folders of the previews of a waiting file. It is deleted with the file. */
export const previewsFolder = (
  deps: Pick<Deps, "deployment">,
  upload: { organizationId: string; id: string },
): string => `${waitingFile(deps, upload)}.previews`;

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

/** The current database file of an organization that has tables. A replaced file is kept for some minutes. */
export async function getStorePath(
  { db, deployment }: Pick<Deps, "db" | "deployment">,
  { organizationId }: Pick<StoreFile, "organizationId">,
): Promise<string> {
  const { uploadFileId: fileId } = await getUploadsDatabase(db.prisma, organizationId);
  if (fileId === null) throw new Error(`The organization ${organizationId} has tables without a file.`);
  return join(deployment.dataFolder, storePath({ organizationId, fileId }));
}

/** The bytes that the tables use in their file. */
export async function readTableBytes(
  tx: Pick<Tx, "analyticalDatabaseConfig">,
  organizationId: string,
): Promise<number> {
  const { uploadFile } = await getUploadsDatabase(tx, organizationId);
  return Number(uploadFile?.usedBytes ?? 0n);
}

/** A file that rows need. */
export interface StoredFile {
  organizationId: string;
  /** The short name of the organization. */
  slug: string;
  id: string;
  /** All tables of the organization, or a file that waits to be imported. */
  holds: "tables" | "import";
  /** Relative to the folder of embedded databases. */
  path: string;
}

/**
 * The files that the rows need: the current database file of each organization, and the files that wait to be imported.
 * None of them ever changes, but the sweeper deletes those that newer rows no longer need.
 */
export async function listStoredFiles(database: Pick<Deps["db"]["pool"], "query">): Promise<StoredFile[]> {
  const { rows } = await database.query<Omit<StoredFile, "path">>(`
    SELECT organization_id AS "organizationId", slug, f.id, holds
    FROM (
      SELECT organization_id, upload_file_id AS id, 'tables' AS holds FROM analytical_database_configs
      WHERE upload_file_id IS NOT NULL
      UNION ALL SELECT organization_id, id, 'import' FROM uploads WHERE is_complete
    ) f JOIN organizations o ON o.id = f.organization_id
    ORDER BY holds DESC, f.id`);
  return rows.map((row) => ({
    ...row,
    path: row.holds === "tables" ? storePath({ ...row, fileId: row.id }) : waitingPath(row),
  }));
}
