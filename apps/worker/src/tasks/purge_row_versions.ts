import { purgeRowVersions as purge } from "@querybell/core/retention";
import { defineTask } from "../define-task.ts";

export const purgeRowVersions = defineTask("purge_row_versions", async ({ deps, logger }) => {
  logger.info({ versions: await purge(deps) }, "purged old versions of listed rows");
});
