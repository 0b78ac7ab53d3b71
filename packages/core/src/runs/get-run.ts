import {
  AppError,
  type Caller,
  CutBy,
  EngineProgress,
  hasEnded,
  type Run,
  type RunDetail,
  RunFailure,
  type RunId,
  StoredParameterValues,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { watchRow } from "../watch-row.ts";
import type { StartedRun } from "./start-run.ts";

/** What is shown of a run. */
interface RunRow extends StartedRun {
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

/**
 * Who reads a run. The trials of a person's drafts are shown to nobody else, and to no key. SQL that a key has run is a
 * trial, too, and shown to that key.
 */
export type RunReader = Pick<Caller, "organizationId"> & Partial<Pick<Caller, "userId" | "via">>;

/** The person whose trials this reader sees; null for a key or an automation, which see none. */
const trialsOf = ({ userId, via }: RunReader): string | null =>
  via?.kind === "session" && userId !== undefined ? userId : null;

const startedBy = ({ via }: RunReader): string | null => (via?.kind === "key" ? `key:${via.keyId}` : null);

export async function getRun(deps: Pick<Deps, "db">, caller: RunReader, { id }: RunId): Promise<RunDetail> {
  return toRunDetail(await getRunRow(deps, caller, id));
}

/** A prepared statement, since watching a run reads it after every change. */
export async function getRunRow({ db }: Pick<Deps, "db">, caller: RunReader, id: string): Promise<RunRow> {
  const { rows } = await db.pool.query<RunRow>({
    name: "get_query_run",
    text: `
      SELECT id, query_id AS "queryId", status, trigger_id AS "triggerId", parameter_values AS "parameterValues",
        rendered_sql AS "renderedSql", created_at AS "createdAt", started_at AS "startedAt",
        completed_at AS "completedAt", cancel_requested_at AS "cancelRequestedAt", progress_rows AS "progressRows",
        engine_progress AS "engineProgress", rows_read AS "rowsRead", rows_written AS "rowsWritten",
        cut_by AS "cutBy", failure_code AS "failureCode", failure_reason AS "failureReason",
        failure_line AS "failureLine", failure_column AS "failureColumn", query_version AS "queryVersion"
      FROM query_runs WHERE id = $1 AND organization_id = $2 AND (trial_by IS NULL OR trial_by = $3 OR trigger_id = $4)`,
    values: [id, caller.organizationId, trialsOf(caller), startedBy(caller)],
  });
  const [row] = rows;
  if (!row) throw new AppError("not_found", "There is no such run in this organization.");
  return row;
}

/** Yields the run now and after every change, until it has ended. */
export async function* watchRun(
  deps: Deps,
  caller: RunReader,
  { id, signal }: RunId & { signal: AbortSignal },
): AsyncGenerator<RunDetail> {
  let lastSent = "";
  const watched = watchRow(deps, { channel: "querybell_run_changed", id, signal }, () =>
    getRun(deps, caller, { id }),
  );
  for await (const run of watched) {
    const text = JSON.stringify(run);
    if (text !== lastSent) yield run;
    lastSent = text;
    if (hasEnded(run.status)) return;
  }
}
