export { purgeExpiredIdentity, purgeExpiredResults, purgeHistory, purgeRowVersions } from "./purge.ts";
export {
  type RetentionSettings,
  readRetention,
  retentionSettings,
  toPastResultsQuota,
  toRetentionPeriods,
} from "./settings.ts";
