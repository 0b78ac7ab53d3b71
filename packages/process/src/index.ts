export { createLogger } from "./create-logger.ts";
export { type ProcessIdentity, startProcessHeartbeat, version } from "./process-heartbeat.ts";
export { Origin, PostgresUrl, processSettings } from "./process-settings.ts";
export { fileSettingOf, readSettings } from "./read-settings.ts";
export { type RunningProcess, runUntilStopped } from "./run-until-stopped.ts";
