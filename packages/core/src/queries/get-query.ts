import type { Prisma, Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type ListDefinitions,
  type ParameterDefinition,
  type Query,
  type QueryDetail,
  type QueryId,
  type RunStatus,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";
import { readDefinitions } from "../runs/prepare-run.ts";

export async function getQuery(deps: Deps, caller: Caller, { id }: QueryId): Promise<QueryDetail> {
  const row = await getQueryRow(deps.db.prisma, caller, id);
  return toQueryDetail(row, await findLatestRun(deps, id));
}

/** Gets the row of a query. Throws if it does not exist or is deleted. */
export async function getQueryRow(
  tx: Pick<Tx, "query">,
  { organizationId }: Pick<Caller, "organizationId">,
  id: string,
): Promise<Prisma.QueryModel> {
  const row = await tx.query.findFirst({ where: { id, organizationId, deletedAt: null } });
  if (!row) throw queryNotFound();
  return row;
}

export const queryNotFound = () => new AppError("not_found", "There is no such query in this organization.");

/** Gets the query and locks it: no other transaction changes, runs or refreshes it until this one ends. */
export async function lockQuery(
  tx: Tx,
  { organizationId }: Pick<Caller, "organizationId">,
  id: string,
): Promise<Prisma.QueryModel> {
  await lockRow(tx, { table: "queries", key: { id }, organizationId });
  return getQueryRow(tx, { organizationId }, id);
}

export type QueryRow = Pick<
  Prisma.QueryModel,
  | "id"
  | "sql"
  | "name"
  | "description"
  | "version"
  | "analyticalDatabaseConfigId"
  | "createdBy"
  | "createdAt"
  | "updatedAt"
>;

/** A query as every answer shows it, without its latest run. */
export const toQueryFields = (row: QueryRow): Omit<Query, "latestRun"> => ({
  id: row.id,
  sql: row.sql,
  name: row.name,
  description: row.description,
  version: row.version,
  analyticalDatabaseConfigId: row.analyticalDatabaseConfigId,
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

export const toQuery = (row: QueryRow, run: LatestRun | undefined): Query => ({
  ...toQueryFields(row),
  latestRun: run ? { id: run.id, status: run.status, runAt: run.runAt.toISOString() } : null,
});

function toQueryDetail(row: Prisma.QueryModel, run: LatestRun | undefined): QueryDetail {
  const { latestRun, ...query } = toQuery(row, run);
  if (!run || !latestRun) return { ...query, latestRun: null, latestRunMetadata: null };
  const { status, rowsRead, rowsWritten, completedAt } = run;
  return {
    ...query,
    latestRun: { ...latestRun, completedAt: completedAt?.toISOString() ?? null },
    latestRunMetadata: { status, rowsRead: Number(rowsRead ?? 0), rowsWritten: rowsWritten ?? 0 },
  };
}

interface LatestRun {
  id: string;
  status: RunStatus;
  runAt: Date;
  completedAt: Date | null;
  rowsRead: string | null;
  rowsWritten: number | null;
}

/** The newest run of a query, if it has one. */
export async function findLatestRun(
  { db }: Pick<Deps, "db">,
  queryId: string,
): Promise<LatestRun | undefined> {
  const { rows } = await db.pool.query<LatestRun>({
    name: "find_latest_run",
    text: `
      SELECT id, status, created_at AS "runAt", completed_at AS "completedAt", rows_read AS "rowsRead",
        rows_written AS "rowsWritten"
      FROM query_runs WHERE query_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1`,
    values: [queryId],
  });
  return rows[0];
}

/** The definitions that a run would use for these parameters. Undefined parameters are left out. */
export async function listDefinitions(
  deps: Deps,
  caller: Caller,
  { id, names }: ListDefinitions,
): Promise<ParameterDefinition[]> {
  await getQueryRow(deps.db.prisma, caller, id);
  return readDefinitions(deps.db.prisma, { queryId: id, names });
}
