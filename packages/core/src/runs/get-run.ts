import { AppError, type Caller, type RunDetail, type RunId } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { type RunRow, toRunDetail } from "./run-row.ts";

export async function getRun(
  deps: Pick<Deps, "db">,
  caller: Pick<Caller, "organizationId">,
  { id }: RunId,
): Promise<RunDetail> {
  return toRunDetail(await getRunRow(deps, caller, id));
}

/** A prepared statement, since watching a run reads it after every change. */
export async function getRunRow(
  { db }: Pick<Deps, "db">,
  { organizationId }: Pick<Caller, "organizationId">,
  id: string,
): Promise<RunRow> {
  const { rows } = await db.pool.query<RunRow>({
    name: "get_query_run",
    text: `
      SELECT id, query_id AS "queryId", status, trigger_id AS "triggerId", parameter_values AS "parameterValues",
        rendered_sql AS "renderedSql", created_at AS "createdAt", started_at AS "startedAt",
        completed_at AS "completedAt", cancel_requested_at AS "cancelRequestedAt", progress_rows AS "progressRows",
        engine_progress AS "engineProgress", rows_read AS "rowsRead", rows_written AS "rowsWritten",
        cut_by AS "cutBy", failure_code AS "failureCode", failure_reason AS "failureReason",
        failure_line AS "failureLine", failure_column AS "failureColumn", query_version AS "queryVersion"
      FROM query_runs WHERE id = $1 AND organization_id = $2`,
    values: [id, organizationId],
  });
  const [row] = rows;
  if (!row) throw new AppError("not_found", "There is no such run in this organization.");
  return row;
}
