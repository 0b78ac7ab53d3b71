import type { Deps } from "./deps.ts";

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

// Heartbeats use real time: now(), and not querybell_now(), which tests move.

/** Records that these workers are alive. */
export async function recordHeartbeats({ db }: Pick<Deps, "db">, workerIds: string[]): Promise<void> {
  await db.pool.query({
    name: "record_worker_heartbeats",
    text: `
      INSERT INTO worker_heartbeats (worker_id, seen_at) SELECT id, now() FROM unnest($1::text[]) AS id
      ON CONFLICT (worker_id) DO UPDATE SET seen_at = excluded.seen_at`,
    values: [workerIds],
  });
}

/** Counts the workers of the whole installation that are alive. They record a heartbeat every five seconds. */
export async function countWorkers({ db }: Pick<Deps, "db">): Promise<number> {
  const { rows } = await db.pool.query<{ count: number }>({
    name: "count_workers",
    text: "SELECT count(*)::int AS count FROM worker_heartbeats WHERE seen_at > now() - interval '20 seconds'",
  });
  return rows[0]?.count ?? 0;
}

/** Seconds since the newest backup, and since the newest one that was checked. Null if there is none. */
export async function readBackupAges({
  db,
}: Pick<Deps, "db">): Promise<{ created: number | null; checked: number | null }> {
  const { rows } = await db.pool.query<{ created: number | null; checked: number | null }>({
    name: "read_backup_ages",
    text: `
      SELECT extract(epoch FROM querybell_now() - max(created_at))::float8 AS created,
        extract(epoch FROM querybell_now() - max(created_at) FILTER (WHERE checked_at IS NOT NULL))::float8 AS checked
      FROM backups`,
  });
  return rows[0] ?? { created: null, checked: null };
}

/** Counts the jobs that these workers run, or whose end they have not recorded yet. */
export async function countLockedJobs({ db }: Pick<Deps, "db">, workerIds: string[]): Promise<number> {
  const { rows } = await db.pool.query<{ count: number }>({
    name: "count_locked_jobs",
    text: "SELECT count(*)::int AS count FROM graphile_worker.jobs WHERE locked_by = ANY($1)",
    values: [workerIds],
  });
  return rows[0]?.count ?? 0;
}

/** Unlocks the jobs of workers without a recent heartbeat. The queue itself would keep them locked for four hours. */
export async function releaseJobsOfDeadWorkers(
  { db }: Pick<Deps, "db">,
  { silentForSeconds }: { silentForSeconds: number },
): Promise<string[]> {
  const { rows } = await db.pool.query<{ worker_id: string }>({
    name: "release_jobs_of_dead_workers",
    text: `
      WITH outdated AS (
        DELETE FROM worker_heartbeats WHERE seen_at < now() - interval '1 day'
      ), dead AS (
        SELECT DISTINCT j.locked_by AS worker_id FROM graphile_worker.jobs j
        LEFT JOIN worker_heartbeats h ON h.worker_id = j.locked_by
        WHERE j.locked_by IS NOT NULL
          AND greatest(j.locked_at, h.seen_at) < now() - make_interval(secs => $1)
      )
      SELECT dead.worker_id, graphile_worker.force_unlock_workers(ARRAY[dead.worker_id]) FROM dead`,
    values: [silentForSeconds],
  });
  return rows.map(({ worker_id }) => worker_id);
}
