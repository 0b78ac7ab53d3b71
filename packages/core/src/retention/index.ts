export { purgeExpiredIdentity, purgeExpiredResults, purgeHistory, purgeRowVersions } from "./purge.ts";
export { readRetention, type RetentionSettings, retentionSettings, toRetentionPeriods } from "./settings.ts";
