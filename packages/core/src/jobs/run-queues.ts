import type { Deps } from "../deps.ts";

interface RunQueue {
  kind: "query" | "automation";
  waiting: number;
  running: number;
  oldestWaitingSeconds: number;
}

/** Reads the numbers of waiting and running query runs and automation runs. */
export async function readRunQueues({ db }: Pick<Deps, "db">): Promise<RunQueue[]> {
  const { rows } = await db.pool.query<RunQueue>({
    name: "read_run_queues",
    text: `
      WITH unfinished AS (
        SELECT 'query' AS kind, status, created_at AS since FROM query_runs WHERE status = 'pending'
        UNION ALL SELECT 'query', status, NULL FROM query_runs WHERE status = 'running'
        UNION ALL SELECT 'automation', status, ready_at FROM automation_runs
          WHERE status = 'pending' AND ready_at IS NOT NULL AND agent <> 'external'
        UNION ALL SELECT 'automation', status, NULL FROM automation_runs
          WHERE status = 'running' AND agent <> 'external'
      )
      SELECT k.kind, (count(*) FILTER (WHERE status = 'pending'))::int AS waiting,
        (count(*) FILTER (WHERE status = 'running'))::int AS running,
        greatest(coalesce(extract(epoch FROM querybell_now() - min(since)), 0), 0)::float AS "oldestWaitingSeconds"
      FROM (VALUES ('query'), ('automation')) k (kind) LEFT JOIN unfinished u ON u.kind = k.kind
      GROUP BY k.kind`,
  });
  return rows;
}
