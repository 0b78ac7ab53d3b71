// Parses, sorts and filters results outside the main thread, so that 50,000 rows never delay a frame.

import type { Field } from "@querybell/domain";
import { toColumnLines } from "./column-lines.ts";
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
    const answer = await fetch(request.url, { credentials: "same-origin" }).catch(() => undefined);
    if (!answer) return { id, kind: "unanswered" };
    const opened = (await readResults(answer)).map(({ runId, body }) => ({
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

interface ResultOfRun {
  runId: string;
  body: ResultBody;
}

const lineEnd = 10;

/** Reads several results: each is a line of JSON with its run and its number of bytes, and then these bytes, compressed. */
async function readResults(answer: Response): Promise<ResultOfRun[]> {
  if (!answer.ok) await readResultBody(answer);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const results: ResultOfRun[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(lineEnd, at);
    const head: { runId: string; bytes: number } = JSON.parse(
      new TextDecoder().decode(bytes.subarray(at, end)),
    );
    at = end + 1 + head.bytes;
    const compressed = new Blob([bytes.subarray(end + 1, at)]).stream();
    const unzipped = compressed.pipeThrough(new DecompressionStream("gzip"));
    results.push({ runId: head.runId, body: await readResultBody(new Response(unzipped)) });
  }
  return results;
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
