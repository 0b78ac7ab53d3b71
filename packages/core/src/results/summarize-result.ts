import { AppError, type Caller, type RunId } from "@querybell/domain";
import { maxReadableBytes, type ResultSummary } from "@querybell/summaries";
import type { Deps } from "../deps.ts";
import { computeStored } from "./compute-stored.ts";
import { getResultOfRun } from "./get-result.ts";
import { readStoredBytes } from "./read-result.ts";

const tooLarge = () =>
  new AppError(
    "query_failed",
    "The result is too large to compute from. Group and sum in the query instead.",
  );

/** Counts, sums and extremes of each column, of all rows of a run's result. Throws if a limit cut the result. */
export async function summarizeResultOfRun(
  deps: Deps,
  caller: Caller,
  { id, signal }: RunId & { signal: AbortSignal },
): Promise<ResultSummary> {
  const info = await getResultOfRun(deps, caller, { id });
  if (info.cutBy !== null) {
    throw new AppError(
      "invalid_request",
      `A limit cut this result after ${info.rowCount} rows, so nothing can be said of all its rows. Group and sum in the query instead.`,
    );
  }
  if (info.bytes > maxReadableBytes) throw tooLarge();
  const { organizationId } = caller;
  const read = () => readStoredBytes(deps, { table: "query_results", organizationId, runId: info.runId });
  const operation = { name: "summarize" } as const;
  const results = [{ cut: false, read }];
  const answer = await computeStored(deps, { organizationId, operation, results }, signal);
  if (!answer) throw tooLarge();
  return answer.summary;
}
