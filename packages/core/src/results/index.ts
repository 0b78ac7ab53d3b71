export { findResult, getExpiredResultOfRun, getResult, getResultOfRun } from "./get-result.ts";
export { readResult, type StoredBytes } from "./read-result.ts";
