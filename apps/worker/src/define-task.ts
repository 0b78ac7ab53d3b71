import type { Deps } from "@querybell/core";
import { type JobName, type JobPayload, jobs } from "@querybell/domain";
import { inSpan } from "@querybell/tracing";
import type { Task } from "graphile-worker";
import type { Logger } from "pino";
import type { WorkerSettings } from "./env.ts";
import type { Mailer } from "./mailer.ts";

/** The dependencies of the tasks. */
export interface TaskContext {
  deps: Deps;
  mailer: Mailer;
  logger: Logger;
  settings: WorkerSettings;
}

/** Defines the task of a job. Parses the payload again, because an older release may have written it. */
export function defineTask<Name extends JobName>(
  name: Name,
  work: (context: TaskContext, payload: JobPayload<Name>) => Promise<void>,
): (context: TaskContext) => Task {
  return (context) =>
    async (payload, { job }) => {
      const logger = context.logger.child({ task: name, job: job.id, attempt: job.attempts });
      const parsed = jobs[name].payload.parse(payload) as JobPayload<Name>;
      await inSpan({ name: `job ${name}`, kind: "consumer", parent: null }, () =>
        work({ ...context, logger }, parsed),
      );
    };
}
