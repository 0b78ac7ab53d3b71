import type { Prisma } from "@querybell/db";
import type { Deps } from "../deps.ts";

/** The columns of a database's row that a run needs. */
type DatabaseColumns = Pick<
  Prisma.AnalyticalDatabaseConfigModel,
  | "id"
  | "organizationId"
  | "engine"
  | "settings"
  | "sealedCredentials"
  | "limits"
  | "reachedServers"
  | "holdsUploads"
  | "uploadFileId"
  | "deletedAt"
>;

/** The query of a run, with its database. */
export interface QueryOfRun {
  organizationId: string;
  sql: string;
  version: number;
  organization: { slug: string };
  database: DatabaseColumns;
}

export async function getQueryOfRun({ db }: Pick<Deps, "db">, queryId: string): Promise<QueryOfRun> {
  const { rows } = await db.pool.query<
    Pick<QueryOfRun, "organizationId" | "sql" | "version"> & { slug: string } & Omit<
        DatabaseColumns,
        "id"
      > & {
        databaseId: string;
      }
  >({
    name: "get_query_of_run",
    text: `
      SELECT q.organization_id AS "organizationId", q.sql, q.version, o.slug, d.id AS "databaseId", d.engine, d.settings,
        d.sealed_credentials AS "sealedCredentials", d.limits, d.reached_servers AS "reachedServers",
        d.holds_uploads AS "holdsUploads", d.upload_file_id AS "uploadFileId", d.deleted_at AS "deletedAt"
      FROM queries q JOIN organizations o ON o.id = q.organization_id
        JOIN analytical_database_configs d
          ON d.organization_id = q.organization_id AND d.id = q.analytical_database_config_id
      WHERE q.id = $1`,
    values: [queryId],
  });
  const [row] = rows;
  if (!row) throw new Error(`There is no query ${queryId}.`);
  const { organizationId, sql, version, slug, databaseId, ...database } = row;
  return {
    ...{ organizationId, sql, version, organization: { slug } },
    database: { ...database, id: databaseId, organizationId },
  };
}
