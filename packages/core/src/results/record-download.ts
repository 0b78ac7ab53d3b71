import type { Caller, ResultInfo } from "@querybell/domain";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";

export type DownloadFormat = "json" | "csv" | "parquet";

/** Called before the first byte of a file is sent. */
export const recordDownload = (
  deps: Pick<Deps, "db" | "clock">,
  caller: Caller,
  { info: { runId, queryId, rowCount }, format }: { info: ResultInfo; format: DownloadFormat },
): Promise<void> =>
  deps.db.transaction((tx) =>
    recordAudit({ ...deps, tx }, caller, {
      action: "result.downloaded",
      targetId: queryId,
      detail: { runId, format, rows: rowCount },
    }),
  );
