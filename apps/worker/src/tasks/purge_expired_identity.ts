import { purgeExpiredIdentity as purge } from "@querybell/core/retention";
import { defineTask } from "../define-task.ts";

export const purgeExpiredIdentity = defineTask("purge_expired_identity", async ({ deps, logger }) => {
  logger.info(await purge(deps), "purged what has expired");
});
