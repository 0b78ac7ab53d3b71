import type { Deps } from "../deps.ts";
import { queueRun, runJobKey } from "./insert-run.ts";

/**
 * Wakes somebody up for every unfinished run that nobody executes: its worker died, or its job got lost.
 * Whoever hears it takes the run over, or fails it when that has happened too often.
 */
export async function sweepRuns({ db }: Pick<Deps, "db">): Promise<string[]> {
  const { rows } = await db.pool.query<{ id: string }>({
    name: "find_abandoned_runs",
    text: `
      SELECT id FROM query_runs r
      WHERE (status = 'running' AND lease_until < now() OR status = 'pending') AND NOT EXISTS (
        SELECT 1 FROM graphile_worker.jobs j
        WHERE j.key = '${runJobKey("")}' || r.id AND j.locked_at IS NULL AND j.attempts < j.max_attempts
      )
      ORDER BY created_at LIMIT 1000`,
  });
  if (rows.length > 0)
    await db.transaction(async (tx) => {
      for (const { id } of rows) await queueRun(tx, id);
    });
  return rows.map(({ id }) => id);
}
