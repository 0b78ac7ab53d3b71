import type { Deps } from "@querybell/core";
import { type JobName, type JobPayload, jobs } from "@querybell/domain";
import type { Task } from "graphile-worker";
import type { Logger } from "pino";
import type { Mailer } from "./mailer.ts";

/** What the tasks of one worker share. */
export interface TaskContext {
  deps: Deps;
  mailer: Mailer;
  logger: Logger;
}

/** The same for one job, with the worker that runs it. */
interface JobContext extends TaskContext {
  workerId: string;
  /** Aborted when the worker cannot wait for the job any longer. */
  signal: AbortSignal;
}

/**
 * The work behind one job of the catalogue, as the queue calls it. The payload is parsed again when it runs,
 * since an older version may have written it.
 */
export function defineTask<Name extends JobName>(
  name: Name,
  work: (context: JobContext, payload: JobPayload<Name>) => Promise<void>,
): (context: TaskContext) => Task {
  return (context) =>
    async (payload, { job, abortSignal }) => {
      const logger = context.logger.child({ task: name, job: job.id, attempt: job.attempts });
      const about = { logger, workerId: job.locked_by ?? "", signal: abortSignal };
      await work({ ...context, ...about }, jobs[name].payload.parse(payload) as JobPayload<Name>);
    };
}
