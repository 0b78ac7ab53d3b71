import { createAttemptPartitions as create } from "@querybell/webhooks";
import { defineTask } from "../define-task.ts";

export const createAttemptPartitions = defineTask("create_attempt_partitions", async ({ deps, logger }) => {
  const created = await create(deps.db.pool, { days: deps.deployment.retention.webhookHistoryDays });
  logger.info({ created }, "created partitions of webhook attempts");
});
