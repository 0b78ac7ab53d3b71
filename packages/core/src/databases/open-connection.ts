import type { Prisma } from "@querybell/db";
import { AppError, DatabaseConnection } from "@querybell/domain";
import { Database } from "@querybell/engines";
import type { Deps } from "../deps.ts";
import { openCredentials } from "./credentials.ts";

type Organization = Pick<Prisma.OrganizationModel, "slug">;

/** A stored configuration as the engines take it, with its credentials. */
export function openConnection(
  deps: Pick<Deps, "sealer">,
  organization: Organization,
  row: Prisma.AnalyticalDatabaseConfigModel,
): Database {
  const { engine, settings } = row;
  if (engine === "duckdb") return toEngine(organization, DatabaseConnection.parse({ engine, settings }));
  const credentials = openCredentials(deps, row, row.sealedCredentials ?? "");
  return toEngine(organization, DatabaseConnection.parse({ engine, settings, credentials }));
}

export function toEngine({ slug }: Organization, connection: DatabaseConnection): Database {
  switch (connection.engine) {
    case "duckdb": {
      // The folder is shared by all organizations. The slug has no dot, so none can name another's file.
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
