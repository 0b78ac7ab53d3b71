import type { Prisma } from "@querybell/db";
import type { Query, QueryDetail } from "@querybell/domain";
import type { LatestRun } from "./latest-runs.ts";

export const toQuery = (row: Prisma.QueryModel, run: LatestRun | undefined): Query => ({
  id: row.id,
  sql: row.sql,
  name: row.name,
  version: row.version,
  analyticalDatabaseConfigId: row.analyticalDatabaseConfigId,
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  latestRun: run ? { id: run.id, status: run.status, runAt: run.runAt.toISOString() } : null,
});

export function toQueryDetail(row: Prisma.QueryModel, run: LatestRun | undefined): QueryDetail {
  const { latestRun, ...query } = toQuery(row, run);
  if (!run || !latestRun) return { ...query, latestRun: null, latestRunMetadata: null };
  const { status, rowsRead, rowsWritten, completedAt } = run;
  return {
    ...query,
    latestRun: { ...latestRun, completedAt: completedAt?.toISOString() ?? null },
    latestRunMetadata: { status, rowsRead: Number(rowsRead ?? 0), rowsWritten: rowsWritten ?? 0 },
  };
}
