import { expandSchedules as expand } from "@querybell/core/automations";
import { defineTask } from "../define-task.ts";

export const expandSchedules = defineTask("expand_schedules", async ({ deps, logger }) => {
  const { triggered, skipped } = await expand(deps);
  if (triggered + skipped > 0) logger.info({ triggered, skipped }, "started runs whose time has come");
});
