import type { Answer } from "../../messages.ts";
import { RunningTask } from "../../perform-task.ts";
import { createUploads } from "../upload-hosts.ts";

/** Performs tasks on uploads with the code that a host runs, without a host. */
export const uploadsInThisProcess = createUploads(async ({ task }) => {
  const answers: Answer[] = [];
  await new RunningTask(task, async (report) => {
    if (report.kind === "answer") answers.push(report.answer);
  }).perform();
  const [answer] = answers;
  if (!answer) throw new Error("The task was not answered.");
  return { answer };
});
