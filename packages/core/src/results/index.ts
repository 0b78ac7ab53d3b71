export { findResult, getResult, getResultOfRun } from "./get-result.ts";
export { purgeExpiredResults, purgeRowVersions } from "./purge.ts";
export { readResult, type StoredBytes } from "./read-result.ts";
