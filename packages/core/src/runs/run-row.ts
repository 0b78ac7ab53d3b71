import type { Prisma } from "@querybell/db";
import {
  CutBy,
  EngineProgress,
  type Run,
  type RunDetail,
  RunFailure,
  StoredParameterValues,
} from "@querybell/domain";
import type { StartedRun } from "./join-run.ts";

export const toRun = (row: StartedRun): Run => ({
  id: row.id,
  queryId: row.queryId,
  status: row.status,
  runAt: row.createdAt.toISOString(),
  triggerId: row.triggerId,
  parameterValues: StoredParameterValues.parse(row.parameterValues),
  renderedSql: row.renderedSql,
});

export const toRunDetail = (row: Prisma.QueryRunModel): RunDetail => ({
  ...toRun(row),
  startedAt: row.startedAt?.toISOString() ?? null,
  completedAt: row.completedAt?.toISOString() ?? null,
  cancelRequestedAt: row.cancelRequestedAt?.toISOString() ?? null,
  progressRows: row.progressRows,
  engineProgress: EngineProgress.nullable().parse(row.engineProgress),
  rowsRead: row.rowsRead === null ? null : Number(row.rowsRead),
  rowsWritten: row.rowsWritten,
  cutBy: CutBy.nullable().parse(row.cutBy),
  failure: toFailure(row),
  queryVersion: row.queryVersion,
});

const toFailure = ({ failureCode, ...row }: Prisma.QueryRunModel): RunFailure | null =>
  failureCode === null
    ? null
    : RunFailure.parse({
        code: failureCode,
        message: row.failureReason,
        ...(row.failureLine !== null && { position: { line: row.failureLine, column: row.failureColumn } }),
      });
