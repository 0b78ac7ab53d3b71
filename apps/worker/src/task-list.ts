import { type JobName, retiredJobs } from "@querybell/domain";
import type { Task, TaskList } from "graphile-worker";
import type { TaskContext } from "./define-task.ts";
import { createAttemptPartitions } from "./tasks/create_attempt_partitions.ts";
import { expandSchedules } from "./tasks/expand_schedules.ts";
import { purgeExpiredIdentity } from "./tasks/purge_expired_identity.ts";
import { purgeExpiredResults } from "./tasks/purge_expired_results.ts";
import { purgeHistory } from "./tasks/purge_history.ts";
import { purgeRowVersions } from "./tasks/purge_row_versions.ts";
import { purgeWebhookHistory } from "./tasks/purge_webhook_history.ts";
import { sendMail } from "./tasks/send_mail.ts";
import { sweepUploads } from "./tasks/sweep_uploads.ts";

// One task for each job. The type requires all of them.
const tasks: Record<JobName, (context: TaskContext) => Task> = {
  create_attempt_partitions: createAttemptPartitions,
  expand_schedules: expandSchedules,
  purge_expired_identity: purgeExpiredIdentity,
  purge_expired_results: purgeExpiredResults,
  purge_history: purgeHistory,
  purge_row_versions: purgeRowVersions,
  purge_webhook_history: purgeWebhookHistory,
  send_mail: sendMail,
  sweep_uploads: sweepUploads,
};

/** The tasks by name. Retired jobs are removed from the queue without any work. */
export const createTaskList = (context: TaskContext): TaskList => ({
  ...Object.fromEntries(Object.entries(tasks).map(([name, task]) => [name, task(context)])),
  ...Object.fromEntries(retiredJobs.map((name) => [name, async () => {}])),
});
