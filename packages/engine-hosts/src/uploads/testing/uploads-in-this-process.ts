import { TaskExecution } from "../../execute-task.ts";
import type { Answer } from "../../messages.ts";
import { createUploads } from "../upload-hosts.ts";

/** Executes tasks on uploads with the code that a host runs, without a host. */
export const uploadsInThisProcess = createUploads(async ({ task }) => {
  const answers: Answer[] = [];
  await new TaskExecution({ ...task, id: 1 }, async (report) => {
    if (report.kind === "answer") answers.push(report.answer);
  }).start();
  const [answer] = answers;
  if (!answer) throw new Error("The task was not answered.");
  return { answer };
});
