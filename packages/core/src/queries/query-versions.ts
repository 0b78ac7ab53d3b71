import type { Prisma } from "@querybell/db";
import {
  AppError,
  type Caller,
  type QueryId,
  type QueryVersion,
  type QueryVersionDetail,
  type QueryVersionNumber,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { getQueryRow } from "./get-query.ts";

type Version = Omit<Prisma.QueryVersionModel, "organizationId" | "queryId" | "sql">;

/** Lists the versions of a query, newest first: the current one and the stored earlier ones. */
export async function listQueryVersions(
  deps: Deps,
  { organizationId }: Caller,
  { id }: QueryId,
): Promise<QueryVersion[]> {
  const query = await getQueryRow(deps.db.prisma, { organizationId }, id);
  const earlier = await deps.db.prisma.queryVersion.findMany({
    // Leaves out a version that was created after the query was read.
    where: { organizationId, queryId: id, version: { lt: query.version } },
    orderBy: { version: "desc" },
    omit: { sql: true },
  });
  return [currentVersion(query), ...earlier].map(toVersion);
}

export async function getQueryVersion(
  deps: Deps,
  { organizationId }: Caller,
  { id, version }: QueryVersionNumber,
): Promise<QueryVersionDetail> {
  const query = await getQueryRow(deps.db.prisma, { organizationId }, id);
  // A later version does not exist, and its number may exceed the range of the column.
  const row =
    version === query.version
      ? currentVersion(query)
      : version < query.version
        ? await deps.db.prisma.queryVersion.findFirst({ where: { organizationId, queryId: id, version } })
        : undefined;
  if (!row) {
    throw new AppError("not_found", "There is no such version of this query. The last 100 are kept.");
  }
  return { ...toVersion(row), sql: row.sql };
}

const currentVersion = (query: Prisma.QueryModel) => ({
  version: query.version,
  analyticalDatabaseConfigId: query.analyticalDatabaseConfigId,
  sql: query.sql,
  createdBy: query.versionBy ?? query.createdBy,
  createdAt: query.versionAt ?? query.createdAt,
});

const toVersion = (row: Version): QueryVersion => ({
  version: row.version,
  analyticalDatabaseConfigId: row.analyticalDatabaseConfigId,
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
});
