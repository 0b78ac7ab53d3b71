import { type JobName, type JobPayload, jobs } from "@querybell/domain";
import type { Deps } from "../deps.ts";

/** The payloads of the jobs of this name that no worker has run yet, oldest first. */
export async function queuedJobs<Name extends JobName>(
  { db }: Pick<Deps, "db">,
  name: Name,
): Promise<JobPayload<Name>[]> {
  const { rows } = await db.pool.query<{ payload: unknown }>(
    `SELECT j.payload FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
    WHERE t.identifier = $1 ORDER BY j.id`,
    [name],
  );
  return rows.map(({ payload }) => jobs[name].payload.parse(payload) as JobPayload<Name>);
}
