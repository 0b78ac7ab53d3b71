import { createUnanswered, Failure } from "../errors/failure.ts";
import { isAnswering } from "../frame/connection.ts";
import type { GridField } from "./cell-text.ts";
import type { ColumnLines } from "./column-lines.ts";
import type { OpenedTable, WorkerAnswer, WorkerRequest } from "./result-messages.ts";
import type { Range, SortAndFilter, WantedTotal } from "./result-table.ts";

type WithoutId<Request> = Request extends WorkerRequest ? Omit<Request, "id"> : never;
type AnswerOf<Kind extends WorkerAnswer["kind"]> = Extract<WorkerAnswer, { kind: Kind }>;

let worker: Worker | undefined;
let lastId = 0;
const waiting = new Map<number, (answer: WorkerAnswer) => void>();

const notLoaded =
  "The result could not be read. Querybell may have been updated since you opened the page: reload it.";

function startWorker(): Worker {
  const started = new Worker(new URL("./result-worker.ts", import.meta.url), { type: "module" });
  started.addEventListener("message", ({ data }: MessageEvent<WorkerAnswer>) => {
    waiting.get(data.id)?.(data);
    waiting.delete(data.id);
  });
  // Its script could not be loaded: the next request tries again.
  started.addEventListener("error", () => {
    started.terminate();
    worker = undefined;
    const failed = [...waiting];
    waiting.clear();
    void isAnswering().then((isThere) => {
      for (const [id, settle] of failed)
        settle(isThere ? { id, kind: "failed", message: notLoaded } : { id, kind: "unanswered" });
    });
  });
  return started;
}

function ask<Kind extends WorkerAnswer["kind"]>(
  kind: Kind,
  request: WithoutId<WorkerRequest>,
): Promise<AnswerOf<Kind>> {
  worker ??= startWorker();
  const id = ++lastId;
  const { promise, resolve, reject } = Promise.withResolvers<AnswerOf<Kind>>();
  waiting.set(id, (answer) => {
    if (isOf(kind, answer)) resolve(answer);
    else if (answer.kind === "unanswered") reject(createUnanswered());
    else reject(new Failure(answer.kind === "failed" ? answer.message : "The result could not be read."));
  });
  worker.postMessage({ ...request, id }, request.kind === "openAll" ? [request.bytes.buffer] : []);
  return promise;
}

const isOf = <Kind extends WorkerAnswer["kind"]>(
  kind: Kind,
  answer: WorkerAnswer,
): answer is AnswerOf<Kind> => answer.kind === kind;

/** An expired result is shown by its page, and nobody can download it. A past one is kept as history. */
export type ResultState = "current" | "expired" | "past";

export const addressOf = (runId: string, state: ResultState): string =>
  `/api/runs/${runId}/${{ current: "result", expired: "expired-result", past: "past-result" }[state]}`;

/** A result that the worker holds open. */
export interface OpenResult {
  runId: string;
  state: ResultState;
  fields: readonly GridField[];
  /** By column: the values with the longest texts. */
  longest: readonly (readonly unknown[])[];
  /** By column: the least and the greatest number. */
  ranges: readonly Range[];
  /** Of the whole result, without the filter. */
  rowCount: number;
  /** All rows as they are stored, if they are few. */
  allRows: readonly (readonly unknown[])[] | undefined;
  /** Rows as they are sorted and filtered now. */
  rows(from: number, to: number): Promise<(readonly unknown[])[]>;
  /** The same rows as texts. */
  lines(from: number, to: number): Promise<ColumnLines>;
  /** Totals of the rows that match the filter, with every digit. */
  totals(wanted: readonly WantedTotal[]): Promise<(string | number | null)[]>;
  /** Resolves to the number of rows that match. */
  sortAndFilter(order: SortAndFilter): Promise<number>;
  close(): void;
}

const early = new Map<string, Promise<OpenResult>>();

/** Starts to open the result that a page will show, while the page itself is still loading. */
export function openEarly(runId: string): void {
  const opening = open(runId);
  early.set(runId, opening);
  // `openResult` returns this promise with its error.
  opening.catch(() => {});
}

/** Opens the result of a run. Each call gets a new table, which is sorted and filtered separately. */
export function openResult(runId: string, state: ResultState = "current"): Promise<OpenResult> {
  const opening = early.get(runId) ?? open(runId, state);
  early.delete(runId);
  return opening;
}

async function open(runId: string, state: ResultState = "current"): Promise<OpenResult> {
  const table = `${runId}#${lastId}`;
  const url = addressOf(runId, state);
  return toOpenResult({ runId, state, table }, await ask("opened", { kind: "open", table, url }));
}

/** Opens several results in the worker, from the answer of the api. By run. */
export async function openInWorker(
  bytes: Uint8Array<ArrayBuffer>,
  stateOf: (runId: string) => ResultState,
): Promise<Map<string, OpenResult>> {
  const table = `all#${lastId}#`;
  const { opened } = await ask("openedAll", { kind: "openAll", table, bytes });
  return new Map(
    opened.map((one) => {
      const { runId } = one;
      return [runId, toOpenResult({ runId, state: stateOf(runId), table: `${table}${runId}` }, one)];
    }),
  );
}

interface KeptTable {
  runId: string;
  state: ResultState;
  /** Its name in the worker. */
  table: string;
}

function toOpenResult(
  { runId, state, table }: KeptTable,
  { fields, rowCount, longest, ranges }: OpenedTable,
): OpenResult {
  return {
    runId,
    state,
    fields,
    rowCount,
    longest,
    ranges,
    allRows: undefined,
    totals: async (wanted) => (await ask("totals", { kind: "totals", table, wanted })).totals,
    rows: async (from, to) => (await ask("rows", { kind: "rows", table, from, to })).rows,
    lines: async (from, to) => (await ask("lines", { kind: "lines", table, from, to })).lines,
    sortAndFilter: async (order) =>
      (await ask("sortedAndFiltered", { kind: "sortAndFilter", table, order })).rowCount,
    close: () => void ask("closed", { kind: "close", table }).catch(() => {}),
  };
}
