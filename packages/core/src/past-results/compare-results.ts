import { createHash } from "node:crypto";
import {
  AppError,
  type Caller,
  type CompareResults,
  type Comparison,
  type ComparisonOutcome,
  type ResultInfo,
} from "@querybell/domain";
import type { StoredResult } from "@querybell/engine-hosts";
import type { Deps } from "../deps.ts";
import { getResultOfRun } from "../results/get-result.ts";
import { readStoredBytes, type StoredBytes, toStoredBytes } from "../results/read-result.ts";
import { getPastResultOfRun, readPastJson } from "./read-past-result.ts";

/** Compares the result of a run with that of an earlier one, exactly: both stored now or kept as history. */
export async function compareResults(
  deps: Deps,
  caller: Caller,
  input: CompareResults,
  signal?: AbortSignal,
): Promise<Comparison> {
  return (await compare(deps, caller, { ...input, writesFile: false, signal })).comparison;
}

/** All rows that differ, as a result: see `writeDifferences`. */
export interface DifferencesFile {
  info: ResultInfo;
  read(): StoredBytes;
}

export async function getDifferences(
  deps: Deps,
  caller: Caller,
  input: CompareResults,
  signal?: AbortSignal,
): Promise<DifferencesFile> {
  const { to, file, fileRows, fileJsonBytes, etag } = await compare(deps, caller, {
    ...{ ...input, writesFile: true, signal },
  });
  const whole = Buffer.concat(file);
  const info = { ...to, rowCount: fileRows, bytes: fileJsonBytes, etag };
  return { info, read: () => toStoredBytes(whole) };
}

interface ComparedResults extends Extract<ComparisonOutcome, { kind: "compared" }> {
  /** Of the newer result. */
  to: ResultInfo;
  file: Uint8Array[];
  etag: string;
}

type Wanted = CompareResults & { writesFile: boolean; signal: AbortSignal | undefined };

async function compare(
  deps: Deps,
  caller: Caller,
  { from, to, key, writesFile, signal }: Wanted,
): Promise<ComparedResults> {
  const before = await getComparable(deps, caller, from);
  const after = await getComparable(deps, caller, to);
  const infos = [before.info, after.info];
  const comparison = {
    ...{ key: key ?? null, writesFile },
    rowCounts: infos.map(({ rowCount }) => rowCount),
    jsonBytes: infos.map(({ bytes }) => bytes),
  };
  const { organizationId } = caller;
  const answer = await deps.engines.compareResults(
    { organizationId, comparison, results: [before.stored, after.stored] },
    signal && { signal },
  );
  if (answer.kind === "failed") {
    signal?.throwIfAborted();
    const { code, message } = answer.failure;
    if (code === "out_of_memory" || code === "query_timeout") throw tooLarge();
    throw new Error(`Comparing results failed: ${message}`);
  }
  const { outcome, file } = answer;
  if (outcome.kind === "refused") throw new AppError("invalid_request", outcome.reason);
  const what = JSON.stringify([before.info.etag, after.info.etag, key ?? null]);
  const etag = createHash("sha256").update(what).digest("base64url");
  return { ...outcome, to: after.info, file, etag };
}

/** The JSON of a larger result is not compared. */
const maxComparedBytes = 128 * 1024 ** 2;

const tooLarge = () =>
  new AppError(
    "invalid_request",
    "These results are too large to compare. Select fewer rows or columns in the query.",
  );

async function getComparable(
  deps: Deps,
  caller: Caller,
  id: string,
): Promise<{ info: ResultInfo; stored: StoredResult }> {
  const { organizationId } = caller;
  const current = await findCurrent(deps, caller, id);
  const info = current ?? (await getPastResultOfRun(deps, caller, { id }));
  if (info.cutBy !== null) {
    const text = `A limit cut the result after ${info.rowCount} rows, so it cannot be compared. Select less in the query.`;
    throw new AppError("invalid_request", text);
  }
  if (info.bytes > maxComparedBytes) throw tooLarge();
  const read = current
    ? () => readStoredBytes(deps, { table: "query_results", organizationId, runId: id })
    : () => readPast(deps, caller, id);
  return { info, stored: { cut: false, read } };
}

/** Undefined if the result has expired or was replaced: it may be kept as history. */
async function findCurrent(deps: Deps, caller: Caller, id: string): Promise<ResultInfo | undefined> {
  try {
    return await getResultOfRun(deps, caller, { id });
  } catch (error) {
    if (error instanceof AppError && error.code === "result_expired") return undefined;
    throw error;
  }
}

const pieceBytes = 1024 ** 2;

async function* readPast(deps: Deps, caller: Caller, runId: string): AsyncGenerator<Uint8Array> {
  const json = await readPastJson(deps, caller, { runId });
  for (let from = 0; from < json.length; from += pieceBytes) yield json.subarray(from, from + pieceBytes);
}
