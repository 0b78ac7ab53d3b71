import { purgeWebhookHistory as purge } from "@querybell/core/webhooks";
import { defineTask } from "../define-task.ts";

export const purgeWebhookHistory = defineTask("purge_webhook_history", async ({ deps, logger, settings }) => {
  logger.info(await purge(deps, { days: settings.WEBHOOK_RETENTION_DAYS }), "purged old webhook history");
});
