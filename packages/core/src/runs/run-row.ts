import type { Prisma } from "@querybell/db";
import { Run, RunDetail } from "@querybell/domain";

const base = (row: Prisma.QueryRunModel) => ({ ...row, runAt: row.createdAt.toISOString() });

export const toRun = (row: Prisma.QueryRunModel): Run => Run.parse(base(row));

export const toRunDetail = (row: Prisma.QueryRunModel): RunDetail =>
  RunDetail.parse({
    ...base(row),
    startedAt: row.startedAt?.toISOString() ?? null,
    completedAt: row.completedAt?.toISOString() ?? null,
    cancelRequestedAt: row.cancelRequestedAt?.toISOString() ?? null,
    rowsRead: row.rowsRead === null ? null : Number(row.rowsRead),
    failure: row.failureCode === null ? null : failureOf(row),
  });

const failureOf = ({ failureCode, failureReason, failureLine, failureColumn }: Prisma.QueryRunModel) => ({
  code: failureCode,
  message: failureReason,
  ...(failureLine !== null && { position: { line: failureLine, column: failureColumn } }),
});
