import { type JobName, type JobPayload, jobs } from "@querybell/domain";
import type { Tx } from "./database.ts";

interface JobOptions {
  runAt?: Date;
  /** Jobs of one queue run serially, so they never use more than one slot of a worker. */
  queue?: string;
}

/** Adds a job in the caller's transaction, so that the job exists only if the transaction commits. */
export async function addJob<Name extends JobName>(
  tx: Tx,
  [name, payload]: [Name, JobPayload<Name>],
  { runAt, queue }: JobOptions = {},
): Promise<void> {
  const { payload: schema, maxAttempts } = jobs[name];
  const body = JSON.stringify(schema.parse(payload));
  await tx.$queryRaw`
    SELECT 1 FROM graphile_worker.add_job(
      ${name}::text, ${body}::json, run_at => ${runAt ?? null}::timestamptz, max_attempts => ${maxAttempts}::int,
      queue_name => ${queue ?? null}::text)`;
}
