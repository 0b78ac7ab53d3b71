// Parses, sorts and filters results outside the main thread, so that 50,000 rows never delay a frame.

import { toColumnLines } from "./column-lines.ts";
import { type ResultBody, readResultBody, readResults } from "./read-results.ts";
import type { OpenedTable, WorkerAnswer, WorkerRequest } from "./result-messages.ts";
import { ResultTable } from "./result-table.ts";

const tables = new Map<string, ResultTable>();

self.addEventListener("message", async ({ data }: MessageEvent<WorkerRequest>) => {
  const answer = await answerTo(data).catch(
    (error: unknown): WorkerAnswer => ({
      id: data.id,
      kind: "failed",
      message: error instanceof Error ? error.message : String(error),
    }),
  );
  self.postMessage(answer, { transfer: answer.kind === "lines" ? [answer.lines.ends.buffer] : [] });
});

async function answerTo(request: WorkerRequest): Promise<WorkerAnswer> {
  const { id } = request;
  if (request.kind === "open") {
    const answer = await fetch(request.url, { credentials: "same-origin" }).catch(() => undefined);
    if (!answer) return { id, kind: "unanswered" };
    return { id, kind: "opened", ...keepTable(request.table, await readResultBody(answer)) };
  }
  if (request.kind === "openAll") {
    const opened = (await readResults(request.bytes)).map(({ runId, body }) => ({
      runId,
      ...keepTable(`${request.table}${runId}`, body),
    }));
    return { id, kind: "openedAll", opened };
  }
  if (request.kind === "close") {
    tables.delete(request.table);
    return { id, kind: "closed" };
  }
  const table = tables.get(request.table);
  if (!table) throw new Error("This result is closed.");
  if (request.kind === "sortAndFilter")
    return { id, kind: "sortedAndFiltered", rowCount: table.sortAndFilter(request.order) };
  if (request.kind === "totals") return { id, kind: "totals", totals: table.totals(request.wanted) };
  const rows = table.slice(request.from, request.to);
  if (request.kind === "lines") return { id, kind: "lines", lines: toColumnLines(table.fields, rows) };
  return { id, kind: "rows", rows };
}

function keepTable(name: string, body: ResultBody): OpenedTable {
  const table = new ResultTable(body);
  tables.set(name, table);
  return { fields: [...table.fields], rowCount: table.rowCount, ...table.extremes() };
}
