import { createUnanswered, Failure } from "../errors/failure.ts";
import { localResult } from "./local-result.ts";
import { type OpenResult, openInWorker, type ResultState } from "./open-result.ts";
import { type AnsweredResults, findEarly, requestResults, takeEarly } from "./request-results.ts";

interface WantedRun {
  runId: string;
  isExpired: boolean;
}

/**
 * Opens the results of several runs with one request, at this address. Those that do not exist any more are left out. If
 * they are small, they are read here, and otherwise by the worker.
 */
export async function openResults(runs: readonly WantedRun[], url: string): Promise<Map<string, OpenResult>> {
  if (runs.length === 0) return new Map();
  const answer = await (takeEarly(url)?.answer ?? requestResults(url));
  if (answer.kind === "read") return toLocalResults(runs, answer);
  if (answer.kind === "unread") return openInWorker(answer.bytes, stateAmong(runs));
  throw answer.kind === "unanswered" ? createUnanswered() : new Failure(answer.message);
}

/** The same results, if they were requested early, are there and are small. */
export function findResults(runs: readonly WantedRun[], url: string): Map<string, OpenResult> | undefined {
  const answer = findEarly(url)?.arrived;
  return answer?.kind === "read" ? toLocalResults(runs, answer) : undefined;
}

function toLocalResults(
  runs: readonly WantedRun[],
  { results }: Extract<AnsweredResults, { kind: "read" }>,
): Map<string, OpenResult> {
  const stateOf = stateAmong(runs);
  return new Map(
    results.map(({ runId, body }) => [runId, localResult(body, { runId, state: stateOf(runId) })]),
  );
}

function stateAmong(runs: readonly WantedRun[]): (runId: string) => ResultState {
  const expired = new Set(runs.filter(({ isExpired }) => isExpired).map(({ runId }) => runId));
  return (runId) => (expired.has(runId) ? "expired" : "current");
}
