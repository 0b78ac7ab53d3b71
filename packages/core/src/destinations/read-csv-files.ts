import { AppError, toDownloadName } from "@querybell/domain";
import { maxReadableBytes } from "@querybell/summaries";
import type { MessageFile } from "@querybell/webhooks";
import type { Deps } from "../deps.ts";
import { readStoredBytes } from "../results/read-result.ts";
import { toCsv } from "../results/to-csv.ts";
import { unzipResult } from "../results/unzip-result.ts";
import type { ToldRun } from "./read-message.ts";

/** Of all files of a mail. Many mail servers refuse mails of more than 10 MB, and a file grows by a third on its way. */
export const maxCsvBytes = 6 * 1024 ** 2;

interface CsvFiles {
  files: MessageFile[];
  /** What is left out, and why. */
  notes: string[];
}

export const csvFile = (title: string, at: Date, text: string): MessageFile => ({
  name: toDownloadName(title, at.toISOString(), ".csv"),
  contentType: "text/csv; charset=utf-8",
  content: Buffer.from(text),
});

interface ChartRow {
  stepId: string;
  title: string;
  endedAt: Date;
  /** Null once a newer run has replaced the result. */
  cut: boolean | null;
}

/**
 * The results of a run's charts as CSV files, for a mail to a destination that the automation wants them for: exactly the
 * values of a download.
 */
export async function readCsvFiles(
  deps: Pick<Deps, "db">,
  { runId, organizationId }: ToldRun,
  endpointId: string,
): Promise<CsvFiles> {
  const { rows: charts } = await deps.db.pool.query<ChartRow>({
    name: "find_charts_to_attach",
    text: `
      SELECT s.id AS "stepId", s.text AS title, s.ended_at AS "endedAt", k.cut
      FROM automation_runs r
        JOIN automation_destinations d ON d.automation_id = r.automation_id AND d.endpoint_id = $3 AND d.attaches_csv
        JOIN automation_steps s ON s.run_id = r.id AND s.tool = 'run_query' AND s.state = 'completed'
        LEFT JOIN automation_results k ON k.step_id = s.id
      WHERE r.id = $1 AND r.organization_id = $2 ORDER BY s.position`,
    values: [runId, organizationId, endpointId],
  });
  const files: MessageFile[] = [];
  const notes: string[] = [];
  let bytesLeft = maxCsvBytes;
  for (const { stepId, title, endedAt, cut } of charts) {
    const csv = cut === null ? "replaced" : await readCsv(deps, { stepId, organizationId, bytesLeft });
    if (csv === "replaced" || csv === "too large") {
      notes.push(`the CSV of "${title}" is left out: ${reasons[csv]}`);
      continue;
    }
    bytesLeft -= Buffer.byteLength(csv.text);
    files.push(csvFile(title, endedAt, csv.text));
    if (cut) notes.push(`a limit truncated "${title}", so its CSV does not have all rows`);
  }
  return { files, notes };
}

const reasons = {
  replaced: "a newer run has replaced the result",
  "too large": `files of more than ${maxCsvBytes / 1024 ** 2} MiB are not sent by mail. Download it in Querybell`,
};

async function readCsv(
  deps: Pick<Deps, "db">,
  { bytesLeft, ...key }: { stepId: string; organizationId: string; bytesLeft: number },
): Promise<{ text: string } | "replaced" | "too large"> {
  const pieces = readStoredBytes(deps, { table: "automation_results", ...key });
  let [text, bytes] = ["", 0];
  try {
    for await (const piece of toCsv(unzipResult({ pieces }, { bytes: maxReadableBytes }))) {
      text += piece;
      bytes += Buffer.byteLength(piece);
      if (bytes > bytesLeft) return "too large";
    }
    return { text };
  } catch (error) {
    if (error instanceof AppError && error.code === "result_expired") return "replaced";
    throw error;
  }
}
