export { chooseIsolation, EngineIsolation } from "./engine-isolation.ts";
export { createLogger, openProcess } from "./open-process.ts";
export { fileSettingOf, readSettings } from "./read-settings.ts";
export {
  checkReadiness,
  checkSchema,
  type Readiness,
  requireReadiness,
  stoppingProcess,
} from "./readiness.ts";
export { rebaseAfterRestore } from "./rebase-after-restore.ts";
export { type RunningProcess, runUntilStopped } from "./run-until-stopped.ts";
export { refuseUnsafeProduction, sharedSettings } from "./settings.ts";
export { startTracing } from "./start-tracing.ts";
