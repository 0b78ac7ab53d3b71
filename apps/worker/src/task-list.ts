import type { JobName } from "@querybell/domain";
import type { Task, TaskList } from "graphile-worker";
import type { TaskContext } from "./define-task.ts";
import { executeRun } from "./tasks/execute_run.ts";
import { purgeExpiredIdentity } from "./tasks/purge_expired_identity.ts";
import { purgeExpiredResults } from "./tasks/purge_expired_results.ts";
import { purgeRowVersions } from "./tasks/purge_row_versions.ts";
import { sendMail } from "./tasks/send_mail.ts";

// One for each job of the catalogue: a job without a task does not compile.
const tasks: Record<JobName, (context: TaskContext) => Task> = {
  execute_run: executeRun,
  purge_expired_identity: purgeExpiredIdentity,
  purge_expired_results: purgeExpiredResults,
  purge_row_versions: purgeRowVersions,
  send_mail: sendMail,
};

/** Runs of queries can take minutes: they have slots of their own, so that other jobs never wait for them. */
export function createTaskLists(context: TaskContext): { runs: TaskList; others: TaskList } {
  const { execute_run, ...others } = Object.fromEntries(
    Object.entries(tasks).map(([name, task]) => [name, task(context)]),
  );
  return { runs: { execute_run }, others };
}
