export { findResult, getExpiredResultOfRun, getResult, getResultOfRun } from "./get-result.ts";
export { type DownloadFormat, recordDownload } from "./record-download.ts";
export { readResult, type StoredBytes } from "./read-result.ts";
