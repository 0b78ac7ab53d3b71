import { purgeWebhookHistory as purge } from "@querybell/webhooks";
import { defineTask } from "../define-task.ts";

export const purgeWebhookHistory = defineTask("purge_webhook_history", async ({ deps, logger }) => {
  const purged = await purge(deps.db.pool, { days: deps.deployment.retention.webhookHistoryDays });
  logger.info(purged, "purged old webhook history");
});
