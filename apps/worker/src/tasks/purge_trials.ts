import { purgeTrials as purge } from "@querybell/core/automations";
import { defineTask } from "../define-task.ts";

export const purgeTrials = defineTask("purge_trials", async ({ deps, logger }) => {
  logger.info({ trials: await purge(deps) }, "purged old trials of automations");
});
