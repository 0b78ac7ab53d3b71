import { purgeExpiredResults as purge } from "@querybell/core/retention";
import { defineTask } from "../define-task.ts";

export const purgeExpiredResults = defineTask("purge_expired_results", async ({ deps, logger }) => {
  logger.info({ results: await purge(deps) }, "purged results that have expired");
});
