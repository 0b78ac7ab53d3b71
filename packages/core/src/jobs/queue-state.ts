import type { Deps } from "../deps.ts";

export interface QueueState {
  /** Numbers of jobs. `failed` have used all attempts. */
  due: number;
  scheduled: number;
  running: number;
  failed: number;
  oldestDueSeconds: number;
}

export async function readQueueState({ db }: Pick<Deps, "db">): Promise<QueueState> {
  const { rows } = await db.pool.query<QueueState>({
    name: "read_queue_state",
    text: `
      WITH classified AS (
        SELECT run_at, CASE
          WHEN locked_at IS NOT NULL THEN 'running'
          WHEN attempts >= max_attempts THEN 'failed'
          WHEN run_at > now() THEN 'scheduled'
          ELSE 'due' END AS state
        FROM graphile_worker.jobs
      )
      SELECT
        (count(*) FILTER (WHERE state = 'due'))::int AS due,
        (count(*) FILTER (WHERE state = 'scheduled'))::int AS scheduled,
        (count(*) FILTER (WHERE state = 'running'))::int AS running,
        (count(*) FILTER (WHERE state = 'failed'))::int AS failed,
        coalesce(extract(epoch FROM now() - min(run_at) FILTER (WHERE state = 'due')), 0)::float AS "oldestDueSeconds"
      FROM classified`,
  });
  return rows[0] ?? { due: 0, scheduled: 0, running: 0, failed: 0, oldestDueSeconds: 0 };
}
