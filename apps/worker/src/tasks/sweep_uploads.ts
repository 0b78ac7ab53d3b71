import { sweepUploads as sweep } from "@querybell/core/uploads";
import { defineTask } from "../define-task.ts";

export const sweepUploads = defineTask("sweep_uploads", async ({ deps, logger }) => {
  const swept = await sweep(deps);
  if (swept.waitingFiles + swept.databaseFiles > 0) logger.info(swept, "deleted files of uploads");
});
