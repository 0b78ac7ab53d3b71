import { toAppError } from "@querybell/db";
import { type RunningProcess, runUntilStopped as runProcess } from "@querybell/process";

export { explainConnectionFailure } from "@querybell/db";
export { createLogger, fileSettingOf, type RunningProcess, readSettings, version } from "@querybell/process";
export { chooseIsolation, EngineIsolation } from "./engine-isolation.ts";
export { openProcess } from "./open-process.ts";
export {
  checkReadiness,
  checkSchema,
  type Readiness,
  requireReadiness,
  stoppingProcess,
} from "./readiness.ts";
export { rebaseAfterRestore } from "./rebase-after-restore.ts";
export { refuseUnsafeProduction, sharedSettings } from "./settings.ts";
export { startTracing } from "./start-tracing.ts";

/** Starts a server process that uses the database. */
export const runUntilStopped = (start: () => Promise<RunningProcess>): Promise<void> =>
  runProcess(start, toAppError);
