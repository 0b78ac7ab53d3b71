import type { Prisma } from "@querybell/db";
import { Query, QueryDetail } from "@querybell/domain";
import type { LatestRun } from "./latest-runs.ts";

const base = (row: Prisma.QueryModel) => ({
  ...row,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

export const toQuery = (row: Prisma.QueryModel, run: LatestRun | undefined): Query =>
  Query.parse({ ...base(row), latestRun: run ? { ...run, runAt: run.runAt.toISOString() } : null });

export const toQueryDetail = (row: Prisma.QueryModel, run: LatestRun | undefined): QueryDetail =>
  QueryDetail.parse({
    ...base(row),
    latestRun: run
      ? { ...run, runAt: run.runAt.toISOString(), completedAt: run.completedAt?.toISOString() ?? null }
      : null,
    latestRunMetadata: run ? { ...run, rowsRead: run.rowsRead === null ? null : Number(run.rowsRead) } : null,
  });
