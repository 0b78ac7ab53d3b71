import type { Deps } from "../deps.ts";

interface Queued {
  table: "query_runs" | "automation_runs";
  /** What the key of a run's job begins with. */
  jobKeyPrefix: string;
  /** Which of the runs are executed by workers, in SQL. */
  where: string;
}

/** Unfinished runs that nobody executes, and for which no job waits: their worker died, or the job got lost. */
export async function findAbandoned(
  { db }: Pick<Deps, "db">,
  { table, jobKeyPrefix, where }: Queued,
): Promise<string[]> {
  const { rows } = await db.pool.query<{ id: string }>({
    name: `find_abandoned_${table}`,
    text: `
      SELECT id FROM ${table} r
      WHERE status IN ('pending', 'running') AND (status = 'pending' OR lease_until < now()) AND ${where}
        AND NOT EXISTS (
          SELECT 1 FROM graphile_worker.jobs j
          WHERE j.key = '${jobKeyPrefix}' || r.id AND j.locked_at IS NULL AND j.attempts < j.max_attempts
        )
      ORDER BY created_at LIMIT 1000`,
  });
  return rows.map(({ id }) => id);
}
