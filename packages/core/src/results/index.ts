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
export { summarizeResultOfRun } from "./summarize-result.ts";
export { csvLine, toCsv } from "./to-csv.ts";
export { toStream, unzipResult } from "./unzip-result.ts";
