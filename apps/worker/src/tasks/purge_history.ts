import { purgeHistory as purge } from "@querybell/core/retention";
import { defineTask } from "../define-task.ts";

export const purgeHistory = defineTask("purge_history", async ({ deps, logger }) => {
  logger.info(await purge(deps), "purged old trials, runs, notifications and audit entries");
});
