import {
  CutBy,
  EngineProgress,
  type Run,
  type RunDetail,
  RunFailure,
  StoredParameterValues,
} from "@querybell/domain";
import type { StartedRun } from "./join-run.ts";

/** What is shown of a run. */
export interface RunRow extends StartedRun {
  startedAt: Date | null;
  completedAt: Date | null;
  cancelRequestedAt: Date | null;
  progressRows: number;
  engineProgress: unknown;
  /** 64 bits: Prisma reads a bigint, the driver a string. */
  rowsRead: bigint | string | null;
  rowsWritten: number | null;
  cutBy: string | null;
  failureCode: string | null;
  failureReason: string | null;
  failureLine: number | null;
  failureColumn: number | null;
  queryVersion: number;
}

export const toRun = (row: StartedRun): Run => ({
  id: row.id,
  queryId: row.queryId,
  status: row.status,
  runAt: row.createdAt.toISOString(),
  triggerId: row.triggerId,
  parameterValues: StoredParameterValues.parse(row.parameterValues),
  renderedSql: row.renderedSql,
});

export const toRunDetail = (row: RunRow): RunDetail => ({
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

const toFailure = ({ failureCode, ...row }: RunRow): RunFailure | null =>
  failureCode === null
    ? null
    : RunFailure.parse({
        code: failureCode,
        message: row.failureReason,
        ...(row.failureLine !== null && { position: { line: row.failureLine, column: row.failureColumn } }),
      });
