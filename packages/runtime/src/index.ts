export { countConnections, databaseConnectionsMetric } from "./database-connections.ts";
export { chooseIsolation, EngineIsolation } from "./engine-isolation.ts";
export { eventLoopDelayMetric, watchEventLoop } from "./event-loop-delay.ts";
export { createLogger } from "./logger.ts";
export { mayReadMetrics } from "./metrics-access.ts";
export { closeDeps, openDeps } from "./open-deps.ts";
export { openProcess } from "./open-process.ts";
export {
  checkReadiness,
  checkSchema,
  type Readiness,
  requireReadiness,
  stoppingProcess,
} from "./readiness.ts";
export { rebaseAfterRestore } from "./rebase-after-restore.ts";
export { type RunningProcess, runUntilStopped } from "./run-until-stopped.ts";
export { fileSettingOf } from "./secret-files.ts";
export { readSettings, refuseUnsafeProduction, sharedSettings } from "./settings.ts";
export { SettingsError } from "./settings-error.ts";
export { startTracing } from "./start-tracing.ts";
