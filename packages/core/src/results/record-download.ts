import type { Caller, ResultInfo } from "@querybell/domain";
import { recordAuditOfEach } from "../audit.ts";
import type { Deps } from "../deps.ts";

export type DownloadFormat = "json" | "csv" | "parquet";

type Recorded = Pick<ResultInfo, "runId" | "queryId" | "rowCount">;
type AnyFormat = DownloadFormat | "png" | "svg";

/** Called before the first byte of a file is sent. */
export const recordDownload = (
  deps: Pick<Deps, "db" | "clock">,
  caller: Caller,
  { info, format }: { info: Recorded; format: AnyFormat },
): Promise<void> => recordDownloads(deps, caller, { infos: [info], format });

/** The same for a file that shows several results. */
export const recordDownloads = (
  deps: Pick<Deps, "db" | "clock">,
  caller: Caller,
  { infos, format }: { infos: readonly Recorded[]; format: AnyFormat },
): Promise<void> =>
  deps.db.transaction((tx) =>
    recordAuditOfEach(
      { ...deps, tx },
      caller,
      infos.map(({ runId, queryId, rowCount }) => ({
        action: "result.downloaded",
        targetId: queryId,
        detail: { runId, format, rows: rowCount },
      })),
    ),
  );
