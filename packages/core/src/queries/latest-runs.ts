import type { RunStatus } from "@querybell/domain";
import type { Deps } from "../deps.ts";

export interface LatestRun {
  queryId: string;
  id: string;
  status: RunStatus;
  runAt: Date;
  completedAt: Date | null;
  rowsRead: string | null;
  rowsWritten: number | null;
}

/** The newest run of each query that has one. */
export async function readLatestRuns(
  { db }: Pick<Deps, "db">,
  queryIds: string[],
): Promise<Map<string, LatestRun>> {
  const { rows } = await db.pool.query<LatestRun>({
    name: "read_latest_runs",
    text: `
      SELECT q.query_id AS "queryId", r.* FROM unnest($1::uuid[]) AS q (query_id) CROSS JOIN LATERAL (
        SELECT id, status, created_at AS "runAt", completed_at AS "completedAt", rows_read AS "rowsRead",
          rows_written AS "rowsWritten"
        FROM query_runs WHERE query_runs.query_id = q.query_id ORDER BY created_at DESC, id DESC LIMIT 1
      ) r`,
    values: [queryIds],
  });
  return new Map(rows.map((row) => [row.queryId, row]));
}
