import { type JobName, type JobPayload, jobs } from "@querybell/domain";
import type { Tx } from "./database.ts";

interface JobOptions {
  runAt?: Date;
  /** At most one job with this key waits at a time; adding it again makes that one fresh. */
  key?: string;
}

/** Adds a job in the caller's transaction: it exists exactly if what caused it does. */
export async function addJob<Name extends JobName>(
  tx: Tx,
  [name, payload]: [Name, JobPayload<Name>],
  { runAt, key }: JobOptions = {},
): Promise<void> {
  const { payload: schema, maxAttempts } = jobs[name];
  const body = JSON.stringify(schema.parse(payload));
  await tx.$queryRaw`
    SELECT 1 FROM graphile_worker.add_job(
      ${name}::text, ${body}::json, run_at => ${runAt ?? null}::timestamptz, max_attempts => ${maxAttempts}::int,
      job_key => ${key ?? null}::text, job_key_mode => 'preserve_run_at')`;
}
