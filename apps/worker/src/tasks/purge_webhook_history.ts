import { purgeWebhookHistory as purge } from "@querybell/webhooks";
import { defineTask } from "../define-task.ts";

export const purgeWebhookHistory = defineTask("purge_webhook_history", async ({ deps, logger, settings }) => {
  const purged = await purge(deps.db.pool, { days: settings.WEBHOOK_RETENTION_DAYS });
  logger.info(purged, "purged old webhook history");
});
