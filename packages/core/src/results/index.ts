export { findResult, findResultOfRun } from "./find-result.ts";
export { purgeExpiredResults, purgeRowVersions } from "./purge.ts";
export { readResult, type StoredBytes } from "./read-result.ts";
