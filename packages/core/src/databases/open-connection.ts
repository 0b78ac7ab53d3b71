import type { Prisma } from "@querybell/db";
import { AppError, DatabaseConnection } from "@querybell/domain";
import { Database } from "@querybell/engines";
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
  if (row.holdsUploads) {
    const file = fileId === null ? null : storePath({ organizationId, fileId });
    return { engine: "duckdb", configuration: { file } };
  }
  if (engine === "duckdb")
    return toEngineDatabase(organization, DatabaseConnection.parse({ engine, settings }));
  const credentials = openCredentials(deps, row, row.sealedCredentials ?? "");
  return toEngineDatabase(organization, DatabaseConnection.parse({ engine, settings, credentials }));
}

export function toEngineDatabase({ slug }: Organization, connection: DatabaseConnection): Database {
  switch (connection.engine) {
    case "duckdb": {
      // All organizations share the folder. A slug has no dot, so no organization can name a file of another.
      const file = duckdbFileName(slug, connection.settings.file);
      return { engine: "duckdb", configuration: { file } };
    }
    case "postgres":
      return Database.parse({
        engine: "postgres",
        configuration: { ...connection.settings, ...connection.credentials },
      });
    case "trino": {
      const { engine, settings, credentials } = connection;
      return { engine, configuration: { ...settings, credentials } };
    }
  }
}

export const duckdbFileName = (slug: string, file: string): string => `${slug}.${file}`;

export const databaseDeleted = () =>
  new AppError(
    "database_deleted",
    "The database of this query was deleted. Choose another database for the query, or ask an admin to add it again.",
  );
