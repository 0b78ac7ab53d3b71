import type { Prisma } from "@querybell/db";
import {
  AppError,
  type Caller,
  type QueryId,
  QueryVersion,
  QueryVersionDetail,
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
  const query = await getQueryRow(deps, { organizationId }, id);
  const earlier = await deps.db.prisma.queryVersion.findMany({
    // Leaves out a version that was created after the query was read.
    where: { organizationId, queryId: id, version: { lt: query.version } },
    orderBy: { version: "desc" },
    omit: { sql: true },
  });
  return [currentVersion(query), ...earlier].map((row) => QueryVersion.parse(withTime(row)));
}

export async function getQueryVersion(
  deps: Deps,
  { organizationId }: Caller,
  { id, version }: QueryVersionNumber,
): Promise<QueryVersionDetail> {
  const query = await getQueryRow(deps, { organizationId }, id);
  const row =
    version === query.version
      ? currentVersion(query)
      : await deps.db.prisma.queryVersion.findFirst({ where: { organizationId, queryId: id, version } });
  if (!row) {
    throw new AppError("not_found", "There is no such version of this query. The last 100 are kept.");
  }
  return QueryVersionDetail.parse(withTime(row));
}

const currentVersion = (query: Prisma.QueryModel) => ({
  version: query.version,
  analyticalDatabaseConfigId: query.analyticalDatabaseConfigId,
  sql: query.sql,
  createdBy: query.versionBy ?? query.createdBy,
  createdAt: query.versionAt ?? query.createdAt,
});

const withTime = <Row extends Version>(row: Row) => ({ ...row, createdAt: row.createdAt.toISOString() });
