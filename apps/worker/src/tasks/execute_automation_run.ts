import { executeAutomationRun as execute } from "@querybell/core";
import { defineTask } from "../define-task.ts";

export const executeAutomationRun = defineTask(
  "execute_automation_run",
  async ({ deps, logger, workerId, signal }, { runId }) => {
    const onError = (error: unknown) => logger.error(error, "an automation's run met an error");
    await execute(deps, { runId, workerId, signal, onError });
  },
);
