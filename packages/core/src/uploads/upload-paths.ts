import { join } from "node:path";
import type { Deps } from "../deps.ts";

export const storeFileName = "uploads.duckdb";

interface StoreFile {
  organizationId: string;
  fileId: string;
}

/** The path of the database file, relative to the folder of embedded databases. */
export const storePath = ({ organizationId, fileId }: StoreFile): string =>
  `uploads/${organizationId}/${fileId}/${storeFileName}`;

/** The path of a file that waits to be imported, relative to the same folder. */
export const waitingPath = ({ organizationId, id }: { organizationId: string; id: string }): string =>
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
