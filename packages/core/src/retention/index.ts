export { purgeHistory } from "./purge-history.ts";
export { readRetention } from "./read-retention.ts";
export { type RetentionSettings, retentionSettings, toRetentionPeriods } from "./settings.ts";
