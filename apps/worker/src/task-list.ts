import type { JobName } from "@querybell/domain";
import type { Task, TaskList } from "graphile-worker";
import type { TaskContext } from "./define-task.ts";
import { executeAutomationRun } from "./tasks/execute_automation_run.ts";
import { executeRun } from "./tasks/execute_run.ts";
import { expandSchedules } from "./tasks/expand_schedules.ts";
import { purgeExpiredIdentity } from "./tasks/purge_expired_identity.ts";
import { purgeExpiredResults } from "./tasks/purge_expired_results.ts";
import { purgeRowVersions } from "./tasks/purge_row_versions.ts";
import { purgeWebhookHistory } from "./tasks/purge_webhook_history.ts";
import { sendMail } from "./tasks/send_mail.ts";

// One for each job of the catalogue: a job without a task does not compile.
const tasks: Record<JobName, (context: TaskContext) => Task> = {
  execute_automation_run: executeAutomationRun,
  execute_run: executeRun,
  expand_schedules: expandSchedules,
  purge_expired_identity: purgeExpiredIdentity,
  purge_expired_results: purgeExpiredResults,
  purge_row_versions: purgeRowVersions,
  purge_webhook_history: purgeWebhookHistory,
  send_mail: sendMail,
};

interface TaskLists {
  runs: TaskList;
  automations: TaskList;
  others: TaskList;
}

/**
 * Runs of queries can take minutes, and those of automations wait for them: both have slots of their own, so
 * that other jobs never wait for either, nor a query for an automation that waits for it.
 */
export function createTaskLists(context: TaskContext): TaskLists {
  const { execute_run, execute_automation_run, ...others } = Object.fromEntries(
    Object.entries(tasks).map(([name, task]) => [name, task(context)]),
  );
  return { runs: { execute_run }, automations: { execute_automation_run }, others };
}
