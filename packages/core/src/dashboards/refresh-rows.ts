import type { DashboardRefresh } from "@querybell/domain";
import type { Deps } from "../deps.ts";

export interface RefreshRow {
  id: string;
  dashboardId: string;
  createdBy: string;
  createdAt: Date;
  runsTotal: number;
  runsDone: number;
  isUnfinished: boolean;
}

/** SQL: the columns of a refresh `f`. */
export const refreshColumns = `f.id, f.dashboard_id AS "dashboardId", f.created_by AS "createdBy", f.created_at AS "createdAt",
  f.runs_total AS "runsTotal", greatest(f.runs_done, (
    SELECT count(*)::int FROM public.query_runs r
    WHERE r.refresh_id = f.id AND r.status IN ('completed', 'failed'))) AS "runsDone", EXISTS (
    SELECT FROM public.query_runs r WHERE r.refresh_id = f.id AND r.status IN ('pending', 'running')) AS "isUnfinished"`;

export const toRefresh = (row: RefreshRow): DashboardRefresh => ({
  id: row.id,
  startedAt: row.createdAt.toISOString(),
  startedBy: row.createdBy,
  runsTotal: row.runsTotal,
  runsDone: row.isUnfinished ? row.runsDone : row.runsTotal,
  isUnfinished: row.isUnfinished,
});

interface LastRefresh {
  refresh: DashboardRefresh;
  /** By reference: why its run failed, for those that the caller may see. */
  failures: Record<string, string>;
}

/** The last refresh of a dashboard with these values of its filters, whoever started it. */
export async function findLastRefresh(
  { db }: Pick<Deps, "db">,
  dashboardId: string,
  hash: Buffer,
): Promise<LastRefresh | undefined> {
  const { rows } = await db.pool.query<RefreshRow & { failures: Record<string, string> | null }>({
    name: "find_last_refresh",
    text: `
      SELECT ${refreshColumns}, (
        SELECT json_object_agg(c.reference_id, r.failure_reason)
        FROM dashboard_refresh_charts c JOIN query_runs r ON r.id = c.run_id
        WHERE c.refresh_id = f.id AND r.status = 'failed') AS failures
      FROM dashboard_refreshes f WHERE f.dashboard_id = $1 AND f.filter_values_hash = $2
      ORDER BY f.created_at DESC, f.id DESC LIMIT 1`,
    values: [dashboardId, hash],
  });
  const [row] = rows;
  return row && { refresh: toRefresh(row), failures: row.failures ?? {} };
}
