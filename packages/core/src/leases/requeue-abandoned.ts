import type { Tx } from "@querybell/db";
import type { Deps } from "../deps.ts";

interface Queued {
  table: "query_runs" | "automation_runs";
  /** Which of the runs are executed by workers, in SQL. */
  where: string;
  /** The key of a run's job; of an empty id, what all those keys begin with. */
  jobKey: (runId: string) => string;
  queue: (tx: Tx, runId: string) => Promise<void>;
}

/**
 * Queues again every unfinished run that nobody executes and for which no job waits: its worker died, or the job
 * got lost. Whoever hears it takes the run over, or fails it when that has happened too often.
 */
export async function requeueAbandoned(
  { db }: Pick<Deps, "db">,
  { table, where, jobKey, queue }: Queued,
): Promise<string[]> {
  const { rows } = await db.pool.query<{ id: string }>({
    name: `find_abandoned_${table}`,
    text: `
      SELECT id FROM ${table} r
      WHERE status IN ('pending', 'running') AND (status = 'pending' OR lease_until < now()) AND ${where}
        AND NOT EXISTS (
          SELECT 1 FROM graphile_worker.jobs j
          WHERE j.key = '${jobKey("")}' || r.id AND j.locked_at IS NULL AND j.attempts < j.max_attempts
        )
      ORDER BY created_at LIMIT 1000`,
  });
  if (rows.length > 0)
    await db.transaction(async (tx) => {
      for (const { id } of rows) await queue(tx, id);
    });
  return rows.map(({ id }) => id);
}
