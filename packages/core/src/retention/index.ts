export { purgeExpiredIdentity, purgeExpiredResults, purgeHistory, purgeRowVersions } from "./purge.ts";
export { type RetentionSettings, readRetention, retentionSettings, toRetentionPeriods } from "./settings.ts";
