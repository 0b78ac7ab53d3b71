import type { Prisma } from "@querybell/db";
import { AppError, DatabaseConnection } from "@querybell/domain";
import { Database, engineOf, uploadsDatabase } from "@querybell/engines";
import type { Deps } from "../deps.ts";
import { storePath } from "../uploads/upload-paths.ts";
import { openCredentials } from "./credentials.ts";

type Organization = Pick<Prisma.OrganizationModel, "slug">;

/** Converts a stored configuration to the input of the engines, with opened credentials. */
export function openConnection(
  deps: Pick<Deps, "sealer">,
  organization: Organization,
  row: Pick<
    Prisma.AnalyticalDatabaseConfigModel,
    "id" | "organizationId" | "engine" | "settings" | "sealedCredentials" | "holdsUploads" | "uploadFileId"
  >,
): Database {
  const { engine, settings, organizationId, uploadFileId: fileId } = row;
  if (row.holdsUploads)
    return uploadsDatabase(fileId === null ? null : storePath({ organizationId, fileId }));
  const hasCredentials = engineOf(engine).credentialsName !== undefined;
  const credentials = hasCredentials && {
    credentials: openCredentials(deps, row, row.sealedCredentials ?? ""),
  };
  return toEngineDatabase(organization, DatabaseConnection.parse({ engine, settings, ...credentials }));
}

export const toEngineDatabase = (organization: Organization, connection: DatabaseConnection): Database =>
  Database.parse({
    engine: connection.engine,
    configuration: engineOf(connection.engine).configure(connection, organization),
  });

export const databaseDeleted = () =>
  new AppError(
    "database_deleted",
    "The database of this query was deleted. Choose another database for the query, or ask an admin to add it again.",
  );
