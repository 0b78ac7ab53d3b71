import type { JobName } from "@querybell/domain";
import type { Task, TaskList } from "graphile-worker";
import type { TaskContext } from "./define-task.ts";
import { purgeExpiredIdentity } from "./tasks/purge_expired_identity.ts";
import { purgeWebhookHistory } from "./tasks/purge_webhook_history.ts";
import { sendMail } from "./tasks/send_mail.ts";

// One for each job of the catalogue: a job without a task does not compile.
const tasks: Record<JobName, (context: TaskContext) => Task> = {
  purge_expired_identity: purgeExpiredIdentity,
  purge_webhook_history: purgeWebhookHistory,
  send_mail: sendMail,
};

export const createTaskList = (context: TaskContext): TaskList =>
  Object.fromEntries(Object.entries(tasks).map(([name, task]) => [name, task(context)]));
