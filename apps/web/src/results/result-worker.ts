// Parses, sorts and filters results outside the main thread, so that 50,000 rows never delay a frame.

import type { Field } from "@querybell/domain";
import { toColumnLines } from "./column-lines.ts";
import type { WorkerAnswer, WorkerRequest } from "./result-messages.ts";
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
    const table = new ResultTable(await readResultBody(answer));
    tables.set(request.table, table);
    return { id, kind: "opened", fields: [...table.fields], rowCount: table.rowCount, ...table.extremes() };
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

interface ResultBody {
  fields: Field[];
  rows: unknown[][];
}

/** Reads a stored result, in the published shape. */
async function readResultBody(answer: Response): Promise<ResultBody> {
  const body: unknown = await answer.json().catch(() => undefined);
  if (isResult(body)) return body;
  throw new Error(isProblem(body) ? body.detail : "The result could not be read. Try again.");
}

// Our own api wrote the body, so only its shape is checked, not each value.
const isResult = (body: unknown): body is ResultBody =>
  typeof body === "object" && body !== null && "fields" in body && "rows" in body;

const isProblem = (body: unknown): body is { detail: string } =>
  typeof body === "object" && body !== null && "detail" in body && typeof body.detail === "string";
