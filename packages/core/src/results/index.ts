export {
  findResult,
  findResultsOfRuns,
  getExpiredResultOfRun,
  getResult,
  getResultOfRun,
  type ShownResult,
} from "./get-result.ts";
export { toParquet } from "./parquet/to-parquet.ts";
export { readResult, type StoredBytes } from "./read-result.ts";
export { readPlainRows } from "./read-rows.ts";
export { type DownloadFormat, recordDownload, recordDownloads } from "./record-download.ts";
export { readRow, splitResult } from "./split-result.ts";
export { summarizeResultOfRun } from "./summarize-result.ts";
export { toStream, unzipResult } from "./unzip-result.ts";
