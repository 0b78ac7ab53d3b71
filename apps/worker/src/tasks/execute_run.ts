import { executeRun as execute } from "@querybell/core";
import { defineTask } from "../define-task.ts";

export const executeRun = defineTask("execute_run", async ({ deps, logger, workerId, signal }, { runId }) => {
  const onError = (error: unknown) => logger.error(error, "could not renew the lease of a run");
  await execute(deps, { runId, workerId, signal, onError });
});
